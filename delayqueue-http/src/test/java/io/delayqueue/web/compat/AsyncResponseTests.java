package io.delayqueue.web.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.FilterRegistration;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.coyote.AbstractProtocol;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.GracefulShutdownResult;
import org.springframework.boot.web.server.Shutdown;
import org.springframework.boot.web.server.WebServer;

/** On a Tomcat whose executor rejects tasks at times. */
class AsyncResponseTests {

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicBoolean full = new AtomicBoolean();
    private final ResponseWriter writer = new ResponseWriter("text/plain");
    private final AtomicReference<@Nullable AsyncResponse> waiting = new AtomicReference<>();
    private final AtomicReference<@Nullable AsyncContext> async = new AtomicReference<>();
    private final AtomicInteger ended = new AtomicInteger();
    private final AtomicReference<CountDownLatch> holdsFilter = new AtomicReference<>(new CountDownLatch(0));
    private final CountDownLatch filtersReturned = new CountDownLatch(1);
    private WebServer server;

    @BeforeEach
    void start() {
        TomcatServletWebServerFactory factory = new TomcatServletWebServerFactory(0);
        factory.setShutdown(Shutdown.GRACEFUL);
        factory.addProtocolHandlerCustomizers(handler -> ((AbstractProtocol<?>) handler).setExecutor(this::execute));
        server = factory.getWebServer(context -> {
            var registration = context.addServlet("waits", new Waiting());
            registration.setAsyncSupported(true);
            registration.addMapping("/*");
            addFilter(context, "outermost", (request, response, chain) -> {
                chain.doFilter(request, response);
                filtersReturned.countDown();
            });
            addFilter(context, "held responses", new HeldResponseFilter());
            addFilter(context, "slow", new SlowToReturn());
        });
        server.start();
    }

    private static void addFilter(ServletContext context, String name, Filter filter) {
        FilterRegistration.Dynamic registration = context.addFilter(name, filter);
        registration.setAsyncSupported(true);
        registration.addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST), true, "/*");
    }

    private void execute(Runnable task) {
        if (full.get()) {
            throw new RejectedExecutionException("full");
        }
        threads.execute(task);
    }

    @AfterEach
    void stop() {
        server.stop();
        threads.shutdownNow();
    }

    @Test
    void responseIsWrittenAfterTheFiltersHaveReturned() throws Exception {
        CountDownLatch filter = new CountDownLatch(1);
        holdsFilter.set(filter);
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), server.getPort())) {
            ask(client).write(() -> new byte[] {'x'}, () -> {});

            filter.countDown();

            StringBuilder text = new StringBuilder();
            while (!text.toString().endsWith("\r\n\r\nx")) {
                text.append((char) client.getInputStream().read());
            }
            assertThat(text).contains("X-Filter: late");
            assertNoRequestIsLeft();
        }
    }

    @Test
    void rejectedResponseEndsTheRequest() throws Exception {
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), server.getPort())) {
            AsyncResponse response = ask(client);
            filtersReturned.await(); // otherwise the response is held back
            full.set(true);

            assertThatThrownBy(() -> response.write(() -> new byte[] {'x'}, () -> {}))
                    .isInstanceOf(RejectedExecutionException.class);

            full.set(false);
            async.get().setTimeout(1);
            assertNoRequestIsLeft();
        }
    }

    @Test
    void failedResponseEndsTheRequest() throws IOException {
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), server.getPort())) {
            AsyncResponse response = ask(client);

            assertThatThrownBy(() -> response.write(
                            () -> {
                                throw new OutOfMemoryError("for the test");
                            },
                            () -> {}))
                    .isInstanceOf(OutOfMemoryError.class);

            assertNoRequestIsLeft();
        }
    }

    private AsyncResponse ask(Socket client) throws IOException {
        client.getOutputStream().write("GET / HTTP/1.1\r\nHost: here\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        return await().until(waiting::get, response -> response != null);
    }

    private void assertNoRequestIsLeft() {
        await().until(() -> ended.get() > 0);
        CompletableFuture<GracefulShutdownResult> shutdown = new CompletableFuture<>();
        server.shutDownGracefully(shutdown::complete);
        assertThat(shutdown).succeedsWithin(Duration.ofMinutes(1)).isEqualTo(GracefulShutdownResult.IDLE);
    }

    /** Adds a header after the servlet, as Spring Security does. */
    private final class SlowToReturn implements Filter {

        @Override
        public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
                throws IOException, ServletException {
            chain.doFilter(request, response);
            try {
                holdsFilter.get().await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            ((HttpServletResponse) response).setHeader("X-Filter", "late");
        }
    }

    private final class Waiting extends HttpServlet {

        private static final long serialVersionUID = 1L;

        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) {
            AsyncResponse begun = writer.begin(request, Duration.ZERO, ended::incrementAndGet);
            async.set(request.getAsyncContext());
            waiting.set(begun);
        }
    }
}
