package io.delayqueue.sample.review;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of reviews.
 *
 * @param reviewAfter delay between the delivery and the automatic review; usually one or two weeks
 */
@ConfigurationProperties("sample")
record ReviewProperties(@DefaultValue("20s") Duration reviewAfter) {}
