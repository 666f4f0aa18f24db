package io.delayqueue.sample.notice;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of notices. The listener reads the delays of retries from {@code sample.notice.intervals}.
 *
 * @param url the URL of the merchant; may contain {@code ${local.server.port}}, the port of this application
 * @param timeout timeout of a request to the merchant
 */
@ConfigurationProperties("sample.notice")
record NoticeProperties(String url, @DefaultValue("2s") Duration timeout) {}
