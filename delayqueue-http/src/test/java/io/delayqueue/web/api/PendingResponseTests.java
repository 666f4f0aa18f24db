package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockAsyncContext;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.web.context.request.async.StandardServletAsyncWebRequest;
import org.springframework.web.context.request.async.WebAsyncManager;
import org.springframework.web.context.request.async.WebAsyncUtils;
import org.springframework.web.method.support.ModelAndViewContainer;

class PendingResponseTests {

    private final MockHttpServletRequest request = new MockHttpServletRequest();
    private final MockHttpServletResponse servletResponse = new MockHttpServletResponse();
    private final AtomicInteger dispatches = new AtomicInteger();
    private final CompletableFuture<String> result = new CompletableFuture<>();
    private final PendingResponse<String> pending = PendingResponse.of(result, Response::ok);
    private WebAsyncManager manager;

    private void defer() throws Exception {
        request.setAsyncSupported(true);
        StandardServletAsyncWebRequest webRequest = new StandardServletAsyncWebRequest(request, servletResponse);
        manager = WebAsyncUtils.getAsyncManager(webRequest);
        manager.setAsyncWebRequest(webRequest);
        pending.defer(manager, new ModelAndViewContainer());
        asyncContext().addDispatchHandler(dispatches::incrementAndGet);
    }

    private MockAsyncContext asyncContext() {
        return (MockAsyncContext) Objects.requireNonNull(request.getAsyncContext());
    }

    @Test
    void completedResponseNeedsNoDispatch() {
        result.complete("settled");

        assertThat(pending.await()).isEqualTo(Response.ok("settled"));
    }

    @Test
    void failureIsThrownWithoutADispatch() {
        result.completeExceptionally(new IllegalStateException("no"));

        assertThatThrownBy(() -> pending.await())
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("no");
    }

    @Test
    void laterResponseIsDispatched() throws Exception {
        assertThat(pending.await()).isNull();
        defer();
        assertThat(manager.hasConcurrentResult()).isFalse();

        result.complete("settled");

        assertThat(manager.getConcurrentResult()).isEqualTo(Response.ok("settled"));
        assertThat(dispatches).hasValue(1);
    }

    @Test
    void laterFailureIsDispatched() throws Exception {
        defer();
        IllegalStateException failure = new IllegalStateException("no");

        result.completeExceptionally(failure);

        assertThat(manager.getConcurrentResult()).isSameAs(failure);
        assertThat(pending.complete(Response.ok("late"))).isFalse();
        assertThat(dispatches).hasValue(1);
    }

    @Test
    void errorIsDispatchedWhileResultWaitsForTheLock() throws Exception {
        defer();
        Thread completing = new Thread(() -> result.complete("late"));
        synchronized (manager) {
            completing.start();
            await().dontCatchUncaughtExceptions().until(() -> completing.getState() == Thread.State.BLOCKED);

            for (AsyncListener listener : asyncContext().getListeners()) {
                listener.onError(new AsyncEvent(asyncContext(), new IOException("reset")));
            }

            assertThat(dispatches).hasValue(1);
        }
        completing.join();
        assertThat(dispatches).hasValue(1);
    }
}
