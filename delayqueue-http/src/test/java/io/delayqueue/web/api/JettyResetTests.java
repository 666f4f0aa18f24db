package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.web.waiting.Http2Client;
import io.delayqueue.web.waiting.OpenRequests;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.ee11.servlet.ServletContextRequest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.web.filter.OncePerRequestFilter;

@Tag("long")
@Tag("http")
class JettyResetTests {

    /** Requests become asynchronous after Jetty has learned that the client reset the stream. */
    static class Resetting extends ApiApplication {

        final CountDownLatch starting = new CountDownLatch(1);
        final CountDownLatch reset = new CountDownLatch(1);

        @Bean
        OncePerRequestFilter reset() {
            return new OncePerRequestFilter() {

                @Override
                protected void doFilterInternal(
                        HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                        throws IOException, ServletException {
                    ServletContextRequest.getServletContextRequest(request)
                            .addFailureListener(failure -> reset.countDown());
                    chain.doFilter(
                            new HttpServletRequestWrapper(request) {

                                @Override
                                public AsyncContext startAsync(ServletRequest inner, ServletResponse response) {
                                    starting.countDown();
                                    await(reset);
                                    return super.startAsync(inner, response);
                                }
                            },
                            response);
                }
            };
        }
    }

    @Test
    void resetBeforeRequestIsAsynchronousEndsRequest() {
        try (ApiNode node = ApiNode.start(Resetting.class, ApiNode.JETTY, "server.http2.enabled=true");
                Http2Client client = new Http2Client(node.port())) {
            Resetting application = node.bean(Resetting.class);
            client.post(
                    ApiNode.BASE + "/receive",
                    Map.of("authorization", "Bearer " + ApiNode.TOKEN, "content-type", "application/json"),
                    ApiNode.receiving("reset", "{\"wait\": \"50s\"}"));
            await(application.starting);

            client.reset();

            await(application.reset);
            OpenRequests.awaitNoneWaiting(node.context());
            OpenRequests.assertNone(node.context());
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
