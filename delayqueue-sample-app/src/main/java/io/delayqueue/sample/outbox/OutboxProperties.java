package io.delayqueue.sample.outbox;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How what is overdue is looked after.
 *
 * @param every how often to look
 * @param grace how late something is before it counts as overdue; more than a listener is ever late by
 */
@ConfigurationProperties("sample.outbox")
record OutboxProperties(
        @DefaultValue("1m") Duration every,
        @DefaultValue("1m") Duration grace) {}
