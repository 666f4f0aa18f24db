package io.delayqueue.web.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.springframework.boot.web.server.GracefulShutdownResult;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ApplicationContext;

/** Requests that a server has not ended. */
public final class OpenRequests {

    private static final Duration MAX_WAIT = Duration.ofSeconds(20);

    private OpenRequests() {}

    /** Fails if a request is left, which would prevent a graceful shutdown. */
    public static void assertNone(ApplicationContext context) {
        CompletableFuture<GracefulShutdownResult> shutdown = new CompletableFuture<>();
        ((WebServerApplicationContext) context).getWebServer().shutDownGracefully(shutdown::complete);
        assertThat(shutdown).succeedsWithin(MAX_WAIT).isEqualTo(GracefulShutdownResult.IDLE);
    }
}
