package io.delayqueue.proof;

import io.delayqueue.annotation.DelayListener;
import io.delayqueue.listener.DelayHeaders;
import io.delayqueue.listener.DependencyUnavailableException;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

/** A node in a process of its own, with the handlers of the drill. */
public final class DrillWorker implements AutoCloseable {

    /** A message to the topic {@code orders} whose first attempt fails. */
    static final String FAILS_ONCE = "fails once";

    /** A message to the topic {@code orders} whose handler takes a second, also while its node stops. */
    static final String SLOW = "slow";

    /** Values of the property {@code drill.fault} of a node. */
    static final String FAILS = "fails";

    static final String STICKS = "sticks";
    static final String UNAVAILABLE = "unavailable";

    /** The value of the header {@code tenant} whose messages to the topic {@code bill} fail. */
    static final String FAILING_TENANT = "acme";

    private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");

    private static final Pattern PORT = Pattern.compile("scrape page on port (\\d+)");

    private final Process process;
    private final Path log;

    private DrillWorker(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    /**
     * Starts a node.
     *
     * @param host the name by which findings call it
     * @param properties of its application, beside those of each node
     */
    static DrillWorker start(int redisPort, Path directory, String host, String... properties) {
        try {
            Path log = Files.createTempFile(directory, "worker", ".log");
            List<String> command = new ArrayList<>(List.of(
                    JAVA.toString(),
                    "-Xmx256m",
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC",
                    "-cp",
                    System.getProperty("java.class.path"),
                    DrillWorker.class.getName(),
                    "--spring.data.redis.port=" + redisPort));
            for (String property : properties) {
                command.add("--" + property);
            }
            ProcessBuilder node = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .directory(new File("").getAbsoluteFile());
            node.environment().put("HOSTNAME", host);
            return new DrillWorker(node.start(), log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    long pid() {
        return process.pid();
    }

    boolean isRunning() {
        return process.isAlive();
    }

    /** Returns the port of the node's scrape page, or nothing before the node has started. */
    Optional<Integer> port() {
        return PORT.matcher(log())
                .results()
                .map(port -> Integer.valueOf(port.group(1)))
                .findFirst();
    }

    String log() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Kills the process as an operating system does that is out of memory. */
    void kill() {
        process.destroyForcibly();
    }

    /** Suspends the process, as a hypervisor does, or resumes it. */
    void suspend(boolean suspended) {
        try {
            Process kill = new ProcessBuilder("kill", suspended ? "-STOP" : "-CONT", String.valueOf(pid())).start();
            if (kill.waitFor() != 0) {
                throw new IllegalStateException("kill ended with " + kill.exitValue());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Stops the process in order. */
    void stop() {
        process.destroy();
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Runs the node until it is stopped or killed. */
    public static void main(String[] arguments) {
        Environment environment = new SpringApplicationBuilder(Handlers.class)
                .web(WebApplicationType.SERVLET)
                .properties(
                        "server.address=127.0.0.1",
                        "server.port=0",
                        "management.endpoints.web.exposure.include=prometheus",
                        PrometheusServer.NO_EXEMPLARS,
                        "spring.data.redis.host=127.0.0.1",
                        "spring.main.banner-mode=off")
                .run(arguments)
                .getEnvironment();
        System.out.println("scrape page on port " + environment.getRequiredProperty("local.server.port"));
    }

    /** Handlers that fail in the ways of the drill. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Handlers {

        /** The fault of this node alone; empty for healthy nodes. */
        private final String fault;

        Handlers(@Value("${drill.fault:}") String fault) {
            this.fault = fault;
        }

        @Bean
        SecurityFilterChain permitAll(HttpSecurity http) {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .build();
        }

        @DelayListener(topic = "orders", backoff = "fixed 1s")
        void order(String text, @Header(DelayHeaders.ATTEMPT) int attempt) throws InterruptedException {
            if (text.equals(SLOW)) {
                new CountDownLatch(1).await(1, TimeUnit.SECONDS);
            }
            if (text.equals(FAILS_ONCE) && attempt == 1) {
                throw new IllegalStateException("out of stock");
            }
        }

        @DelayListener(topic = "payment", backoff = "fixed 1s", maxAttempts = "1000")
        void pay(String text) {
            throw new PaymentDown("connection refused");
        }

        @DelayListener(topic = "mail", maxAttempts = "1")
        void mail(String text) {
            throw new IllegalArgumentException("no such address");
        }

        @DelayListener(topic = "report", concurrency = "2", prefetch = "0")
        void report(String text) throws InterruptedException {
            new CountDownLatch(1).await(5, TimeUnit.MINUTES);
        }

        @DelayListener(topic = "invoice", backoff = "fixed 1s", maxAttempts = "1000")
        void invoice(String text) {
            if (fault.equals(FAILS)) {
                throw new PaymentDown("connection refused");
            }
        }

        @DelayListener(topic = "export", concurrency = "2")
        void export(String text) throws InterruptedException {
            if (fault.equals(STICKS)) {
                new CountDownLatch(1).await(10, TimeUnit.MINUTES);
            }
            new CountDownLatch(1).await(20, TimeUnit.MILLISECONDS);
        }

        @DelayListener(topic = "stock")
        void stock(String text) {
            if (fault.equals(UNAVAILABLE)) {
                throw new DependencyUnavailableException("no route to the warehouse");
            }
        }

        @DelayListener(topic = "bill", backoff = "fixed 1s", maxAttempts = "1000")
        void bill(String text, @Header("tenant") String tenant) {
            if (tenant.equals(FAILING_TENANT)) {
                throw new IllegalStateException("no price list");
            }
        }

        @DelayListener(topic = "scan", concurrency = "1")
        void scan(String text) throws InterruptedException {
            new CountDownLatch(1).await(200, TimeUnit.MILLISECONDS);
        }

        @DelayListener(topic = "image")
        void image(String text) {
            Runtime.getRuntime().halt(137);
        }
    }

    static final class PaymentDown extends RuntimeException {

        private static final long serialVersionUID = 1;

        PaymentDown(String message) {
            super(message);
        }
    }
}
