"""Reports for readers without an account: CloudFront before the bucket's ``reports/``, where it is asked for.

The bucket stays closed to the public. CloudFront signs its requests (origin access control), and the bucket's
policy lets this one distribution read what is under that prefix and nothing else.
"""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_cloudfront as cloudfront
from aws_cdk import aws_cloudfront_origins as origins
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from constructs import Construct

from breakeven.results import layout
from infra.statements import acknowledge

HOME = layout.published_key(layout.LATEST, "index.html")
#: what any page may do. Which script may run the page says itself, by its digest: both policies hold, and one
#: for all could not name the scripts of reports that other versions have made
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'unsafe-inline'",
        "style-src 'unsafe-inline'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
YEAR = cdk.Duration.days(365)
#: how long CloudFront itself may hold what its origin gives no shorter time for
DAY = cdk.Duration.days(1)


class Publication(Construct):
    """``site``: the address of the distribution, without a slash at its end."""

    def __init__(self, scope: Construct, construct_id: str, *, bucket: s3.Bucket, stack_name: str) -> None:
        super().__init__(scope, construct_id)
        #: unlike most names, those of CloudFront's policies are of the whole account
        self._name = f"{stack_name}-reports-{cdk.Aws.REGION}"
        distribution = cloudfront.Distribution(
            self,
            "Distribution",
            comment=f"{stack_name}: reports",
            default_root_object=HOME,
            default_behavior=self._behaviour(bucket),
            price_class=cloudfront.PriceClass.PRICE_CLASS_100,
            http_version=cloudfront.HttpVersion.HTTP2_AND_3,
        )
        self._sign_requests(distribution)
        self._let_read(distribution, bucket)
        self.site = f"https://{distribution.distribution_domain_name}"
        acknowledge(
            distribution,
            {
                "CFR1": "Reports are about prices and queues, and are meant for readers wherever they are.",
                "CFR2": "What is served are files that do not change, by GET and HEAD: there is nothing to "
                "inject into, and a firewall would cost more than all the rest while idle.",
                "CFR3": "Logs of access need a second bucket with access control lists; who reads a "
                "published report is of no concern, and CloudFront's own metrics tell how many do.",
                "CFR4": "The certificate is CloudFront's own, for which it sets the oldest TLS itself. "
                "Browsers of today agree on 1.3, and over the older ones nothing secret goes.",
                "CFR7": "It has an origin access control, which is set past the construct: the construct's "
                "own way would open every object of the bucket to the distribution.",
            },
        )

    def _behaviour(self, bucket: s3.Bucket) -> cloudfront.BehaviorOptions:
        return cloudfront.BehaviorOptions(
            # neither the bucket's policy nor a key's is written by the CDK, which would open all objects
            origin=origins.S3BucketOrigin.with_bucket_defaults(bucket),
            viewer_protocol_policy=cloudfront.ViewerProtocolPolicy.HTTPS_ONLY,
            allowed_methods=cloudfront.AllowedMethods.ALLOW_GET_HEAD,
            compress=True,
            cache_policy=self._cache_policy(),
            response_headers_policy=self._headers_policy(),
        )

    def _cache_policy(self) -> cloudfront.CachePolicy:
        """As each object says of itself.

        Those of AWS's own policies that do so forward ``Host``, which S3 does not take of a distribution.
        """
        return cloudfront.CachePolicy(
            self,
            "Cache",
            cache_policy_name=self._name,
            min_ttl=cdk.Duration.seconds(0),
            default_ttl=cdk.Duration.seconds(0),
            max_ttl=DAY,
            enable_accept_encoding_gzip=True,
            enable_accept_encoding_brotli=True,
        )

    def _headers_policy(self) -> cloudfront.ResponseHeadersPolicy:
        behaviour = cloudfront.ResponseSecurityHeadersBehavior
        return cloudfront.ResponseHeadersPolicy(
            self,
            "Headers",
            response_headers_policy_name=self._name,
            security_headers_behavior=behaviour(
                content_security_policy=cloudfront.ResponseHeadersContentSecurityPolicy(
                    content_security_policy=POLICY, override=True
                ),
                content_type_options=cloudfront.ResponseHeadersContentTypeOptions(override=True),
                frame_options=cloudfront.ResponseHeadersFrameOptions(
                    frame_option=cloudfront.HeadersFrameOption.DENY, override=True
                ),
                referrer_policy=cloudfront.ResponseHeadersReferrerPolicy(
                    referrer_policy=cloudfront.HeadersReferrerPolicy.NO_REFERRER, override=True
                ),
                strict_transport_security=cloudfront.ResponseHeadersStrictTransportSecurity(
                    access_control_max_age=YEAR, override=True
                ),
            ),
        )

    def _sign_requests(self, distribution: cloudfront.Distribution) -> None:
        control = cloudfront.S3OriginAccessControl(
            self, "Access", origin_access_control_name=self._name, signing=cloudfront.Signing.SIGV4_ALWAYS
        )
        made: cloudfront.CfnDistribution = distribution.node.default_child
        made.add_property_override(
            "DistributionConfig.Origins.0.OriginAccessControlId", control.origin_access_control_id
        )

    @staticmethod
    def _let_read(distribution: cloudfront.Distribution, bucket: s3.Bucket) -> None:
        bucket.add_to_resource_policy(
            iam.PolicyStatement(
                sid="ReadPublishedReports",
                principals=[iam.ServicePrincipal("cloudfront.amazonaws.com")],
                actions=["s3:GetObject"],
                resources=[bucket.arn_for_objects(f"{layout.REPORTS}*")],
                conditions={"StringEquals": {"AWS:SourceArn": distribution.distribution_arn}},
            )
        )
