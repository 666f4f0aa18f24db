package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

import io.delayqueue.template.receive.Leases;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;

/** Redis does not reply, and a client repeats its settlement. */
class StalledLeasesTests {

    @Test
    void timedOutSettlementIsNotKept() {
        try (ApiNode node = ApiNode.start(Stalled.class, "delayqueue.redis.command-timeout=100ms")) {
            Stalled application = node.bean(Stalled.class);
            for (int i = 1; i <= 2; i++) {
                assertThat(node.post("/topics/t/messages/1/leases/1/acknowledge", "")
                                .status())
                        .isEqualTo(504);
                assertThat(application.asked).hasSize(i);
            }

            await().until(() -> application.asked.stream().allMatch(CompletableFuture::isCancelled));
            assertThat(application.settling).isNotDone();
        }
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Stalled extends ApiApplication {

        final CompletableFuture<Boolean> settling = new CompletableFuture<>();
        final Queue<CompletableFuture<Boolean>> asked = new ConcurrentLinkedQueue<>();

        @Bean
        Leases leases() {
            Leases leases = mock();
            given(leases.acknowledge(any(), any(), any())).willAnswer(call -> {
                CompletableFuture<Boolean> copy = settling.copy();
                asked.add(copy);
                return copy;
            });
            return leases;
        }
    }
}
