import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.Message;

/**
 * The AWS SDK for Java as a peer: workers with one call each in flight, a message a call.
 *
 * <p>Over Apache's HTTP client, the SDK's own choice: of the two that block it took the less CPU a call here. The
 * SDK does not check MD5 sums, which our client does not either.
 *
 * <p>Arguments: endpoint, queue URL, workers, bytes, seconds of warm-up, seconds of each window.
 * The warm-up sends, receives and deletes in turn; then all workers send, then all receive and delete. Region
 * and credentials come from the environment. Prints "stage messages" when a stage starts and each second.
 */
public final class SqsWorkers {
  private static final LongAdder MESSAGES = new LongAdder();
  private static final List<Throwable> FAILURES = new ArrayList<>();
  private static volatile String stage = "warmup";

  private final SqsClient sqs;
  private final String queue;
  private final String body;

  private SqsWorkers(SqsClient sqs, String queue, int bytes) {
    this.sqs = sqs;
    this.queue = queue;
    this.body = ".".repeat(bytes);
  }

  public static void main(String[] arguments) throws InterruptedException {
    int workers = Integer.parseInt(arguments[2]);
    SqsClient sqs =
        SqsClient.builder()
            .endpointOverride(URI.create(arguments[0]))
            .credentialsProvider(DefaultCredentialsProvider.builder().build())
            .checksumValidationEnabled(false)
            .httpClient(Apache5HttpClient.builder().maxConnections(workers).build())
            .build();
    SqsWorkers shared = new SqsWorkers(sqs, arguments[1], Integer.parseInt(arguments[3]));
    List<Thread> threads = new ArrayList<>();
    for (int number = 0; number < workers; number++) {
      threads.add(new Thread(shared::work));
    }
    threads.forEach(Thread::start);
    int window = Integer.parseInt(arguments[5]);
    run("warmup", Integer.parseInt(arguments[4]));
    run("send", window);
    run("receive", window);
    stage = "end";
    for (Thread thread : threads) {
      thread.join();
    }
    sqs.close();
    for (Throwable failure : FAILURES) {
      failure.printStackTrace();
    }
    System.exit(FAILURES.isEmpty() ? 0 : 1);
  }

  private static void run(String name, int seconds) throws InterruptedException {
    stage = name;
    tell();
    for (int second = 0; second < seconds; second++) {
      Thread.sleep(1000);
      tell();
    }
  }

  private static void tell() {
    System.out.println(stage + " " + MESSAGES.sum());
  }

  private void work() {
    try {
      while (!stage.equals("end")) {
        if (!stage.equals("receive")) {
          send();
        }
        if (!stage.equals("send")) {
          receive();
        }
      }
    } catch (RuntimeException failure) {
      synchronized (FAILURES) {
        FAILURES.add(failure);
      }
    }
  }

  private void send() {
    sqs.sendMessage(request -> request.queueUrl(queue).messageBody(body));
    MESSAGES.increment();
  }

  private void receive() {
    for (Message message :
        sqs.receiveMessage(request -> request.queueUrl(queue).maxNumberOfMessages(1)).messages()) {
      sqs.deleteMessage(request -> request.queueUrl(queue).receiptHandle(message.receiptHandle()));
      if (stage.equals("receive")) {
        MESSAGES.increment();
      }
    }
  }
}
