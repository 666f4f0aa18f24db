package io.delayqueue.sample;

import org.springframework.core.env.Environment;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

/** Sends JSON to the servers of others. Thread-safe. */
@Component
public final class JsonClient {

    private final RestClient http;
    private final Environment environment;

    JsonClient(Environment environment, SampleProperties properties) {
        SimpleClientHttpRequestFactory requests = new SimpleClientHttpRequestFactory();
        // Without timeouts, a server that does not respond would block a handler forever.
        requests.setConnectTimeout(properties.httpTimeout());
        requests.setReadTimeout(properties.httpTimeout());
        this.http = RestClient.builder().requestFactory(requests).build();
        this.environment = environment;
    }

    /**
     * Sends a request.
     *
     * @param url may contain {@code ${local.server.port}}, the port of this application
     * @param key lets the server recognise a repeated request, because delivery is at least once
     * @throws org.springframework.web.client.RestClientException if the server did not confirm the request
     */
    public void post(String url, String key, Object body) {
        http.post()
                // Resolved here because the port is known only after the server has started.
                .uri(environment.resolvePlaceholders(url))
                .header("Idempotency-Key", key)
                .body(body)
                .retrieve()
                .toBodilessEntity();
    }
}
