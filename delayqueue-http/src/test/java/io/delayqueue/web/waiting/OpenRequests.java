package io.delayqueue.web.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.apache.coyote.ProtocolException;
import org.springframework.boot.web.server.GracefulShutdownResult;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ApplicationContext;

/** Requests that a server has not ended. */
public final class OpenRequests {

    private static final Duration MAX_WAIT = Duration.ofSeconds(20);

    private OpenRequests() {}

    /** Waits until the disconnection of all clients is detected, without waiting for the periodic check. */
    public static void awaitNoneWaiting(ApplicationContext context) {
        LongPolls polls = context.getBean(LongPolls.class);
        await().ignoreExceptionsInstanceOf(ProtocolException.class).until(() -> {
            polls.run();
            return polls.waiting() == 0;
        });
    }

    /** Fails if a request is left, which would prevent a graceful shutdown. */
    public static void assertNone(ApplicationContext context) {
        CompletableFuture<GracefulShutdownResult> shutdown = new CompletableFuture<>();
        ((WebServerApplicationContext) context).getWebServer().shutDownGracefully(shutdown::complete);
        assertThat(shutdown).succeedsWithin(MAX_WAIT).isEqualTo(GracefulShutdownResult.IDLE);
    }
}
