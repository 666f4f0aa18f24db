package io.delayqueue.sample.notice;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How the merchant is told. The intervals of the repeats, {@code sample.notice.intervals}, are read by the listener.
 *
 * @param url the merchant's address; may name {@code ${local.server.port}}, the port this application listens on
 * @param timeout how long to wait for the merchant's answer
 */
@ConfigurationProperties("sample.notice")
record NoticeProperties(String url, @DefaultValue("2s") Duration timeout) {}
