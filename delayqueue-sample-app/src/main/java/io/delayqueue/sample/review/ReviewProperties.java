package io.delayqueue.sample.review;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How patient the shop is with reviewers.
 *
 * @param reviewAfter how long after the delivery an order is reviewed automatically; a week or two is usual
 */
@ConfigurationProperties("sample")
record ReviewProperties(@DefaultValue("20s") Duration reviewAfter) {}
