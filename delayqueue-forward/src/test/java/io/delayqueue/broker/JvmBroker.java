package io.delayqueue.broker;

import io.delayqueue.testing.ServerProcess;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A broker in a JVM, whose destinations are created when it starts. */
abstract class JvmBroker implements LocalBroker {

    private final Path directory;
    private final Class<?> server;
    private final List<String> destinations;
    private ServerProcess process;

    /**
     * Creates a broker, which is not started.
     *
     * @param server the class whose main method runs it
     * @param destinations those that it creates
     */
    JvmBroker(String name, Class<?> server, List<String> destinations) {
        this.directory = ServerProcess.newDirectory(name);
        this.server = server;
        this.destinations = destinations;
    }

    abstract boolean serves();

    /** Starts it with the folder of its data, ports and destinations as arguments. */
    final void start(Integer... ports) {
        process = ServerProcess.java(
                directory,
                server,
                Stream.of(Stream.of(directory.resolve("data")), Stream.of(ports), destinations.stream())
                        .flatMap(arguments -> arguments.map(String::valueOf))
                        .toList());
        process.awaitReady(this::serves);
    }

    @Override
    public final ServerProcess process() {
        return process;
    }

    @Override
    public final Path directory() {
        return directory;
    }

    @Override
    public void create(String destination) {
        if (!destinations.contains(destination)) {
            throw new IllegalArgumentException(
                    destination + " is none of " + destinations + ", which are created at the start");
        }
    }
}
