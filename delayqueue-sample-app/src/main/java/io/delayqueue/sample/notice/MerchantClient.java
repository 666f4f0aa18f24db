package io.delayqueue.sample.notice;

import io.delayqueue.sample.SampleProperties;
import org.springframework.core.env.Environment;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

/** Calls the merchant. Thread-safe. */
@Component
final class MerchantClient {

    private final RestClient http;
    private final Environment environment;
    private final SampleProperties properties;

    MerchantClient(Environment environment, SampleProperties properties) {
        SimpleClientHttpRequestFactory requests = new SimpleClientHttpRequestFactory();
        // Without timeouts, a merchant that does not respond would block a handler forever.
        requests.setConnectTimeout(properties.notice().timeout());
        requests.setReadTimeout(properties.notice().timeout());
        this.http = RestClient.builder().requestFactory(requests).build();
        this.environment = environment;
        this.properties = properties;
    }

    /**
     * Sends a notice to the merchant. The key lets the merchant recognise a repeated notice, because delivery is at
     * least once.
     *
     * @throws org.springframework.web.client.RestClientException if the merchant did not confirm the notice
     */
    void tell(PaymentNotice notice) {
        http.post()
                // Resolved here because the port is known only after the server has started.
                .uri(environment.resolvePlaceholders(properties.notice().url()))
                .header("Idempotency-Key", notice.orderId())
                .body(notice)
                .retrieve()
                .toBodilessEntity();
    }
}
