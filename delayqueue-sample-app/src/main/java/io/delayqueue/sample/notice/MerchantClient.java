package io.delayqueue.sample.notice;

import org.springframework.core.env.Environment;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

/** Calls the merchant. Thread-safe. */
@Component
final class MerchantClient {

    private final RestClient http;
    private final Environment environment;
    private final NoticeProperties properties;

    MerchantClient(Environment environment, NoticeProperties properties) {
        SimpleClientHttpRequestFactory requests = new SimpleClientHttpRequestFactory();
        // Without these a merchant that never answers would keep a handler for ever.
        requests.setConnectTimeout(properties.timeout());
        requests.setReadTimeout(properties.timeout());
        this.http = RestClient.builder().requestFactory(requests).build();
        this.environment = environment;
        this.properties = properties;
    }

    /**
     * Tells the merchant. The key lets the merchant recognise a notice that comes twice, which "at least once" permits.
     *
     * @throws org.springframework.web.client.RestClientException if the merchant has not taken it, as far as is known
     */
    void tell(PaymentNotice notice) {
        http.post()
                // Only now: the port is known once the server has started.
                .uri(environment.resolvePlaceholders(properties.url()))
                .header("Idempotency-Key", notice.orderId())
                .body(notice)
                .retrieve()
                .toBodilessEntity();
    }
}
