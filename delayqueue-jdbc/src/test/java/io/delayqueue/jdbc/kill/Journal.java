package io.delayqueue.jdbc.kill;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a node did, in a file. A killed node loses no entry, because the operating system has it. */
final class Journal {

    /** The first word of a line. */
    enum Entry {
        BEGUN,
        COMMITTED,
        ROLLED_BACK,
        HANDLED,
        BOOKED,
        OUT_OF_ORDER,
        DONE
    }

    private final Path file;
    private final FileChannel channel;

    /**
     * Opens a journal, or creates it.
     *
     * @param file named like the node
     */
    Journal(Path file) {
        this.file = file;
        try {
            channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String node() {
        return file.getFileName().toString();
    }

    synchronized void write(Entry entry, String order) {
        try {
            channel.write(ByteBuffer.wrap((entry + " " + order + "\n").getBytes(UTF_8)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Set<String> begun() {
        return orders(Entry.BEGUN).stream().collect(Collectors.toUnmodifiableSet());
    }

    boolean isDone() {
        return !orders(Entry.DONE).isEmpty();
    }

    int size() {
        return lines().size();
    }

    List<String> orders(Entry entry) {
        return lines().stream()
                .filter(line -> line.startsWith(entry + " "))
                .map(line -> line.substring(entry.name().length() + 1))
                .toList();
    }

    private List<String> lines() {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
