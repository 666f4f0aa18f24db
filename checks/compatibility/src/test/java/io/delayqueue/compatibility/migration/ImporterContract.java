package io.delayqueue.compatibility.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.DelayQueueInspector;
import io.delayqueue.admin.MessageView;
import io.delayqueue.compatibility.migration.OldQueue.Handled;
import io.delayqueue.template.DelayQueueOperations;
import io.delayqueue.test.redis.Direction;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

/** An importer with the real library: each message is handled once, by the old consumer or the new listener, and never early. */
abstract class ImporterContract {

    private static final int MESSAGES = 1000;
    private static final int LATE = 100;
    private static final long HOUR = Duration.ofHours(1).toMillis();
    private static final Duration WAIT = Duration.ofSeconds(60);

    private final OldLibrary library;
    private RedisServerProcess redis;
    private ConfigurableApplicationContext context;

    ImporterContract(OldLibrary library) {
        this.library = library;
    }

    @BeforeEach
    void start() {
        redis = RedisServerProcess.start();
        context = NewApplication.start(redis.port(), true);
    }

    @AfterEach
    void stop() {
        context.close();
        redis.close();
    }

    @Test
    void delayedMessagesAreMovedWhileTheOldConsumerRuns() throws Exception {
        try (OldQueue old = library.start(redis, true)) {
            Stored stored = store(old);

            assertThat(run(false)).isBetween(LATE, MESSAGES);

            assertMoved(stored);
            assertThat(old.handled()).isNotEmpty();
            assertThat(handled()).isNotEmpty();
            assertThat(run(false)).isZero();
        }
    }

    @Test
    void allMessagesAreMovedAfterTheOldApplicationHasStopped() throws Exception {
        Stored stored = storeAndStop();

        assertThat(run(true)).isEqualTo(MESSAGES);

        assertMoved(stored);
        assertThat(stored.old.handled()).isEmpty();
        assertThat(run(true)).isZero();
    }

    @Test
    void killedImportIsCompletedByAnother() throws Exception {
        Stored stored = storeAndStop();
        try (FaultProxy slow = FaultProxy.inFrontOf(redis)) {
            slow.delay(Duration.ofMillis(20), Duration.ofMillis(20), Direction.CLIENT_TO_SERVER);
            Process importing = importInAnotherProcess(slow.port());
            try {
                await().atMost(WAIT).until(() -> arrived() > 200);
            } finally {
                importing.destroyForcibly().waitFor();
            }
        }

        int rest = run(true);

        assertThat(rest).isBetween(1, MESSAGES - 100);
        assertMoved(stored);
    }

    /** The worst moment: after a send, before the importer knows of it; and the messages are handled meanwhile. */
    @Test
    void importThatEndsAfterASendDoesNotRepeatWhatWasHandled() throws Exception {
        Stored stored = storeAndStop();

        assertThatIllegalStateException()
                .isThrownBy(() -> library.importInto(context, endsAfterSends(3), true))
                .withMessage("The importer ends here");
        await().atMost(WAIT).until(() -> !handled().isEmpty() && counts() == scheduledLate());
        int handledMeanwhile = handled().size();

        run(true);

        assertThat(handledMeanwhile).isPositive();
        assertMoved(stored);
    }

    /**
     * Messages of the old application.
     *
     * @param dueTimes by number
     * @param later the due times of those that are due in an hour, in order
     */
    private record Stored(OldQueue old, Map<String, Long> dueTimes, List<Long> later) {}

    private Stored storeAndStop() throws Exception {
        try (OldQueue old = library.start(redis, false)) {
            return store(old);
        }
    }

    /** Stores the messages, the last of them at the end, so that these are not due before an import that follows. */
    private static Stored store(OldQueue old) {
        Map<String, Long> dueTimes = dueTimes(0, MESSAGES - 20);
        old.store(dueTimes);
        Map<String, Long> last = dueTimes(MESSAGES - 20, MESSAGES);
        old.store(last);
        dueTimes.putAll(last);
        return new Stored(old, dueTimes, old.laterThan(System.currentTimeMillis() + HOUR / 2));
    }

    /** A tenth is due in an hour, three tenths are overdue, and the others become due within some seconds. */
    private static Map<String, Long> dueTimes(int from, int to) {
        Map<String, Long> dueTimes = new LinkedHashMap<>();
        long now = System.currentTimeMillis();
        for (int i = from; i < to; i++) {
            long due = i % 10 == 9 ? now + HOUR + i : i % 10 < 3 ? now - 1000 : now + 6L * i;
            dueTimes.put("order-" + i, due);
        }
        return dueTimes;
    }

    private int run(boolean all) throws Exception {
        return library.importInto(context, context.getBean(DelayQueueOperations.class), all);
    }

    /** Operations that fail after a number of batches, the last of which was sent. */
    private DelayQueueOperations endsAfterSends(int batches) {
        DelayQueueOperations operations = context.getBean(DelayQueueOperations.class);
        AtomicInteger sent = new AtomicInteger();
        return (DelayQueueOperations) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {DelayQueueOperations.class},
                (proxy, method, arguments) -> {
                    try {
                        Object result = method.invoke(operations, arguments);
                        if (method.getName().equals("sendAll") && sent.incrementAndGet() == batches) {
                            throw new IllegalStateException("The importer ends here");
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private Process importInAnotherProcess(int port) throws Exception {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx200m",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        NewApplication.class.getName(),
                        library.name(),
                        Integer.toString(port),
                        "true")
                .inheritIO()
                .start();
    }

    /** Each message is handled once and not early, or is scheduled for its due time. */
    private void assertMoved(Stored stored) {
        await().atMost(WAIT)
                .until(() -> stored.old.handled().size() + handled().size() >= MESSAGES - LATE && counts() == LATE);
        List<Handled> all =
                Stream.concat(stored.old.handled().stream(), handled().stream()).toList();
        assertThat(all)
                .extracting(Handled::number)
                .doesNotHaveDuplicates()
                .hasSize(MESSAGES - LATE)
                .allMatch(stored.dueTimes::containsKey);
        assertThat(all).allMatch(one -> one.at() >= stored.dueTimes.get(one.number()));
        assertThat(stored.later).hasSize(LATE);
        assertThat(context.getBean(DelayQueueInspector.class)
                        .messages(OldQueue.NAME, MessageView.SCHEDULED, LATE + 1, null)
                        .messages())
                .extracting(message -> message.dueAt().toEpochMilli())
                .containsExactlyElementsOf(stored.later);
    }

    private List<Handled> handled() {
        return context.getBean(NewApplication.class).handled();
    }

    private long arrived() {
        return handled().size() + counts();
    }

    /** Messages in the topic. */
    private long counts() {
        var counts = context.getBean(DelayQueueAdmin.class).counts(OldQueue.NAME);
        return counts.scheduled() + counts.ready() + counts.leased();
    }

    private long scheduledLate() {
        long now = System.currentTimeMillis();
        return context
                .getBean(DelayQueueInspector.class)
                .messages(OldQueue.NAME, MessageView.SCHEDULED, 500, null)
                .messages()
                .stream()
                .filter(message -> message.dueAt().toEpochMilli() > now + HOUR / 2)
                .count();
    }
}
