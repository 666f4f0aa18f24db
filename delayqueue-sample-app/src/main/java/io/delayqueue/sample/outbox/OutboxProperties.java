package io.delayqueue.sample.outbox;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the outbox.
 *
 * @param every interval between searches for overdue work
 * @param grace time after which pending work is overdue; longer than the maximum lag of a listener
 */
@ConfigurationProperties("sample.outbox")
record OutboxProperties(
        @DefaultValue("1m") Duration every,
        @DefaultValue("1m") Duration grace) {}
