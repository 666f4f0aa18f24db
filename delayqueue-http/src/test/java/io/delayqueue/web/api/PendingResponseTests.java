package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.context.request.async.DeferredResult;

class PendingResponseTests {

    @Test
    void completedResponseNeedsNoDispatch() {
        PendingResponse<String> pending =
                PendingResponse.of(CompletableFuture.completedFuture("settled"), Response::ok);

        assertThat(pending.await(new MockHttpServletRequest())).isEqualTo(Response.ok("settled"));
    }

    @Test
    void failureIsThrownWithoutADispatch() {
        PendingResponse<String> pending = PendingResponse.of(
                CompletableFuture.<String>failedFuture(new IllegalStateException("no")), Response::ok);

        assertThatThrownBy(() -> pending.await(new MockHttpServletRequest()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("no");
    }

    @Test
    void laterResponseIsDeferred() {
        CompletableFuture<String> result = new CompletableFuture<>();
        PendingResponse<String> pending = PendingResponse.of(result, Response::ok);
        assertThat(pending.await(new MockHttpServletRequest())).isNull();

        DeferredResult<Response<String>> deferred = pending.deferred();
        assertThat(deferred.hasResult()).isFalse();
        result.complete("settled");

        assertThat(deferred.getResult()).isEqualTo(Response.ok("settled"));
    }

    @Test
    void laterFailureIsDeferred() {
        PendingResponse<String> pending = new PendingResponse<>(Duration.ofSeconds(1), () -> {}, () -> {}, () -> {});
        DeferredResult<Response<String>> deferred = pending.deferred();
        IllegalStateException failure = new IllegalStateException("no");

        pending.fail(failure);

        assertThat(deferred.getResult()).isSameAs(failure);
        assertThat(pending.complete(Response.ok("late"))).isFalse();
    }
}
