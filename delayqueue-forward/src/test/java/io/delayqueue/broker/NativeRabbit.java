package io.delayqueue.broker;

import io.delayqueue.test.redis.TestPorts;
import io.delayqueue.testing.ServerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** RabbitMQ of Debian's package in a process of the test. It listens on the loopback interface only. */
final class NativeRabbit extends RabbitTestBroker implements LocalBroker {

    /** Not the command on the path, which switches to another user. */
    private static final Path SERVER = Path.of("/usr/lib/rabbitmq/bin/rabbitmq-server");

    private static final Path CONTROL = Path.of("/usr/lib/rabbitmq/bin/rabbitmqctl");

    private final Path directory = ServerProcess.newDirectory("rabbitmq");
    private final int distribution = TestPorts.free();
    private final int names = TestPorts.free();
    private ServerProcess nameServer;
    private ServerProcess process;

    static boolean isInstalled() {
        return Files.isExecutable(SERVER);
    }

    @Override
    public void start() {
        if (nameServer == null) {
            prepare();
            // Erlang would start a name server that never ends.
            nameServer = ServerProcess.start(directory, environment(), List.of("epmd"));
            nameServer.awaitReady(this::nameServerAccepts);
        }
        process = ServerProcess.start(directory, environment(), List.of(SERVER.toString()));
        process.awaitReady(this::serves);
    }

    private void prepare() {
        try {
            Files.writeString(directory.resolve("plugins"), "[].\n");
            Files.writeString(
                    directory.resolve("rabbitmq.conf"),
                    "log.console = true\nmax_message_size = " + LARGEST_MESSAGE + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean nameServerAccepts() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), names), 1_000);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private Map<String, String> environment() {
        Map<String, String> environment = new LinkedHashMap<>();
        environment.put("HOME", directory.toString());
        environment.put("RABBITMQ_ALLOW_INPUT", "1"); // no shell between this process and Erlang's
        environment.put("RABBITMQ_CONF_ENV_FILE", directory.resolve("none").toString());
        environment.put(
                "RABBITMQ_CONFIG_FILE", directory.resolve("rabbitmq.conf").toString());
        environment.put(
                "RABBITMQ_ADVANCED_CONFIG_FILE",
                directory.resolve("none.config").toString());
        environment.put(
                "RABBITMQ_ENABLED_PLUGINS_FILE", directory.resolve("plugins").toString());
        environment.put("RABBITMQ_MNESIA_BASE", directory.resolve("data").toString());
        environment.put("RABBITMQ_LOG_BASE", directory.resolve("log").toString());
        environment.put("RABBITMQ_LOGS", "-");
        environment.put("RABBITMQ_PID_FILE", directory.resolve("pid").toString());
        environment.put("RABBITMQ_NODENAME", "delayqueue" + port + "@localhost");
        environment.put("RABBITMQ_NODE_IP_ADDRESS", "127.0.0.1");
        environment.put("RABBITMQ_NODE_PORT", String.valueOf(port));
        environment.put("RABBITMQ_DIST_PORT", String.valueOf(distribution));
        environment.put("ERL_EPMD_ADDRESS", "127.0.0.1");
        environment.put("ERL_EPMD_PORT", String.valueOf(names));
        environment.put("RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS", "-kernel inet_dist_use_interface {127,0,0,1} -noinput");
        return environment;
    }

    @Override
    void control(String... arguments) {
        List<String> command = new ArrayList<>(List.of(CONTROL.toString(), "--quiet"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("control.log").toFile());
        builder.environment().putAll(environment());
        builder.environment().put("RABBITMQ_CTL_ERL_ARGS", "-kernel inet_dist_use_interface {127,0,0,1}");
        try {
            if (builder.start().waitFor() != 0) {
                throw new IllegalStateException(Files.readString(directory.resolve("control.log")));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public ServerProcess process() {
        return process;
    }

    @Override
    public Path directory() {
        return directory;
    }

    @Override
    public void close() {
        nameServer.close();
        LocalBroker.super.close();
    }
}
