"""The clients that applications use, pika and boto3: what the native clients are checked against."""
