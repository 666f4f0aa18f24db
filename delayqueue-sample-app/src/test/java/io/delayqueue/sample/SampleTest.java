package io.delayqueue.sample;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import org.springframework.boot.resttestclient.autoconfigure.AutoConfigureRestTestClient;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Import;

/**
 * The whole application, with a real Redis and a database of its own. Only retries happen in the background: tests move
 * the due times of other messages.
 */
@Retention(RetentionPolicy.RUNTIME)
@SpringBootTest(
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {
            "delayqueue.namespace=sample",
            "sample.payment-window=30m",
            "sample.review-after=14d",
            "sample.notice.intervals=0s,100ms,200ms",
            "sample.http-timeout=20s",
            "spring.datasource.url=jdbc:h2:mem:${random.uuid};DB_CLOSE_DELAY=-1"
        })
@AutoConfigureRestTestClient
@Import(Shop.class)
public @interface SampleTest {}
