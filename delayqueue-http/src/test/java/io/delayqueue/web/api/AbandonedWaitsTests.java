package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.web.waiting.LongPolls;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.DeferredResultProcessingInterceptor;
import org.springframework.web.servlet.config.annotation.AsyncSupportConfigurer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

class AbandonedWaitsTests {

    @Test
    void failureBeforeTheWaitEndsTheWait() {
        try (ApiNode node = ApiNode.start(Failing.class)) {
            assertThat(node.receive("t", "{\"wait\": \"30s\"}").status()).isEqualTo(500);

            await().until(() -> node.bean(LongPolls.class).waiting() == 0);
        }
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Failing extends ApiApplication {

        @Bean
        WebMvcConfigurer failing() {
            return new WebMvcConfigurer() {

                @Override
                public void configureAsyncSupport(AsyncSupportConfigurer configurer) {
                    configurer.registerDeferredResultInterceptors(new DeferredResultProcessingInterceptor() {

                        @Override
                        public <T> void beforeConcurrentHandling(NativeWebRequest request, DeferredResult<T> result) {
                            throw new IllegalStateException("for the test");
                        }
                    });
                }
            };
        }
    }
}
