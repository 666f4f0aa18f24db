package io.delayqueue.web.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockAsyncContext;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

class EndedResponseTests {

    private final List<Thread> completedBy = new CopyOnWriteArrayList<>();
    private final AtomicInteger failures = new AtomicInteger();
    private final Thread container = new Thread(this::reportError);
    private Runnable duringWrite = () -> {};
    private Runnable duringCompletion = () -> {};

    private final MockHttpServletResponse servletResponse = new MockHttpServletResponse() {

        @Override
        public void flushBuffer() {
            duringWrite.run();
        }
    };

    private final MockAsyncContext context = new MockAsyncContext(new MockHttpServletRequest(), servletResponse) {

        @Override
        public void complete() {
            completedBy.add(Thread.currentThread());
            Runnable action = duringCompletion;
            duringCompletion = () -> {};
            action.run();
        }
    };

    private final AsyncResponse response = new ResponseWriter("text/plain")
            .begin(
                    new MockHttpServletRequest() {

                        @Override
                        public AsyncContext startAsync() {
                            return context;
                        }
                    },
                    Duration.ZERO,
                    () -> {});

    private void write() {
        response.write(() -> new byte[] {'x'}, failures::incrementAndGet);
    }

    private void reportError() {
        report(listener -> listener.onError(event()));
    }

    private AsyncEvent event() {
        return new AsyncEvent(context);
    }

    private interface Report {

        void to(AsyncListener listener) throws IOException;
    }

    private void report(Report report) {
        for (AsyncListener listener : context.getListeners()) {
            try {
                report.to(listener);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private void letTheContainerWait() {
        container.start();
        await().dontCatchUncaughtExceptions().until(() -> container.getState() == Thread.State.WAITING);
    }

    @Test
    void containerWaitsForAWrite() throws Exception {
        duringWrite = this::letTheContainerWait;

        write();
        container.join();

        assertThat(completedBy).containsExactly(Thread.currentThread(), container);
        assertThat(servletResponse.getContentAsString()).isEqualTo("x");
        assertThat(failures).hasValue(0);
    }

    @Test
    void containerWaitsForTheCompletionAfterAWrite() throws Exception {
        duringCompletion = this::letTheContainerWait;

        write();
        container.join();

        assertThat(completedBy).containsExactly(Thread.currentThread(), container);
    }

    @Test
    void nothingIsWrittenAfterAnError() throws Exception {
        reportError();

        write();

        assertThat(servletResponse.getContentAsString()).isEmpty();
        assertThat(servletResponse.getStatus()).isEqualTo(499);
        assertThat(completedBy).hasSize(1);
        assertThat(failures).hasValue(1);
    }

    @Test
    void nothingIsWrittenAfterTheContainerCompletedTheRequest() throws Exception {
        report(listener -> listener.onComplete(event()));

        write();

        assertThat(servletResponse.getContentAsString()).isEmpty();
        assertThat(completedBy).isEmpty();
        assertThat(failures).hasValue(1);
    }

    @Test
    void failureIsReportedEvenIfTheCompletionIsRejected() {
        duringWrite = () -> {
            throw new UncheckedIOException(new IOException("broken pipe"));
        };
        duringCompletion = () -> {
            throw new RejectedExecutionException("full");
        };

        assertThatThrownBy(this::write).isInstanceOf(RejectedExecutionException.class);
        report(listener -> listener.onTimeout(event()));

        assertThat(failures).hasValue(1);
        assertThat(completedBy).hasSize(2);
    }
}
