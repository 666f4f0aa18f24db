package io.delayqueue.documentation;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.DelayQueueInspector;
import io.delayqueue.admin.DelayQueueJobs;
import io.delayqueue.admin.Job;
import io.delayqueue.admin.JobAction;
import io.delayqueue.admin.JobRequest;
import io.delayqueue.admin.MessageView;
import io.delayqueue.annotation.DelayListener;
import io.delayqueue.documentation.MarkdownPage.Block;
import io.delayqueue.listener.Acknowledgement;
import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.template.receive.DelayQueueReceiver;
import io.delayqueue.test.DelayQueueHarness;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** The commands of Redis in the documentation, on a real server. */
@EmbeddedRedis(dedicated = true)
class RedisExamplesTests {

    private static final Pattern WORD = Pattern.compile("'([A-Z]{3,})'");

    private final RedisServerProcess redis;

    RedisExamplesTests(RedisServerProcess redis) {
        this.redis = redis;
    }

    @EnableAutoConfiguration
    static class Application {

        @DelayListener(topic = "work", maxAttempts = "1")
        void handle(String payload, Acknowledgement acknowledgement) {
            switch (payload) {
                case "fail" -> throw new IllegalStateException("as requested");
                case "postpone" -> acknowledgement.postpone(Duration.ofHours(1));
                default -> {}
            }
        }
    }

    private ConfigurableApplicationContext start(String... properties) {
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties("spring.data.redis.host=" + redis.host(), "spring.data.redis.port=" + redis.port())
                .properties(properties)
                .run();
    }

    private static Block block(String page, String comment) {
        return MarkdownPage.read(Path.of(page)).blocks().stream()
                .filter(block -> block.comment().startsWith(comment))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void keysAreThoseOfTheInternals() {
        Instant dueAt = Instant.now().plus(Duration.ofMinutes(30)).truncatedTo(ChronoUnit.MILLIS);
        try (ConfigurableApplicationContext context = start()) {
            context.getBean(DelayQueueTemplate.class)
                    .send(DelayMessage.to("order-cancel")
                            .id("order-4711")
                            .payload(new Order("4711"))
                            .header("tags", "vip")
                            .dueAt(dueAt)
                            .build());
            List<String> commands = block("docs/internals.md", "<!-- keys:")
                    .text()
                    .lines()
                    .filter(line -> line.startsWith("127.0.0.1:6379> "))
                    .map(line -> line.substring("127.0.0.1:6379> ".length()))
                    .toList();

            assertThat(commands).hasSize(2);
            assertThat(String.valueOf(redis.command(commands.get(0).split(" "))))
                    .startsWith("1")
                    .endsWith("\ntags: vip\n\n{\"orderNo\":\"4711\"}");
            assertThat(redis.command(commands.get(1).split(" "))).isEqualTo(String.valueOf(dueAt.toEpochMilli()));
        }
    }

    record Order(String orderNo) {}

    /** Everything that an application does, without a rejected command. */
    @Test
    void theUserOfTheChecklistMayDoWhatTheQueueNeeds() {
        redis.command(block("docs/production.md", "<!-- acl:").text().strip().split(" "));
        redis.command("ACL", "LOG", "RESET");
        try (ConfigurableApplicationContext context = start(
                "spring.data.redis.username=orders",
                "spring.data.redis.password=secret",
                "delayqueue.dead-letters.prune-interval=100ms",
                "delayqueue.metrics.sample-interval=1s")) {
            useEverything(context);
        }

        assertThat(denied()).as("what the user was denied").isEmpty();
    }

    /** The permitted commands are those of the scripts and those that the queue calls outside of scripts. */
    @Test
    void theUserOfTheChecklistMayUseTheCommandsOfTheScripts() throws IOException {
        Set<String> needed = new TreeSet<>(Set.of("eval", "evalsha", "subscribe", "unsubscribe", "info"));
        for (String module : List.of("delayqueue-core", "delayqueue-http")) {
            try (Stream<Path> files = Files.walk(MarkdownPage.ROOT.resolve(module + "/src/main/resources"))) {
                for (Path script :
                        files.filter(file -> file.toString().endsWith(".lua")).toList()) {
                    WORD.matcher(Files.readString(script))
                            .results()
                            .map(found -> found.group(1).toLowerCase(Locale.ROOT))
                            .filter(this::isCommand)
                            .forEach(needed::add);
                }
            }
        }

        assertThat(block("docs/production.md", "<!-- acl:").text().strip().split(" "))
                .filteredOn(word -> word.startsWith("+") && !word.startsWith("+@"))
                .extracting(word -> word.substring(1))
                .containsExactlyInAnyOrderElementsOf(needed);
    }

    private boolean isCommand(String word) {
        return redis.command("COMMAND", "INFO", word) instanceof List<?> found && found.get(0) != null;
    }

    private static void useEverything(ConfigurableApplicationContext context) {
        DelayQueueTemplate queue = context.getBean(DelayQueueTemplate.class);
        DelayQueueHarness harness = context.getBean(DelayQueueHarness.class);
        DelayQueueAdmin admin = context.getBean(DelayQueueAdmin.class);
        DelayQueueInspector inspector = context.getBean(DelayQueueInspector.class);
        DelayQueueJobs jobs = context.getBean(DelayQueueJobs.class);

        queue.send(DelayMessage.to("work").id("handled").payload("text").build());
        queue.send(DelayMessage.to("work").id("failed").payload("fail").build());
        queue.send(DelayMessage.to("work").id("postponed").payload("postpone").build());
        harness.awaitAcknowledged("work", "handled");
        harness.awaitScheduled("work", "postponed");
        DeadLetter dead = harness.awaitDead("work", "failed");
        assertThat(admin.deadLetters("work", 10).deadLetters()).hasSize(1);
        inspector.deadLetterGroups("work", 10);
        admin.markReviewed("work");
        admin.replay("work", dead.deadLetterId());
        admin.purge("work", harness.awaitDead("work", "failed").deadLetterId());

        queue.send("later", "text", Duration.ofHours(1));
        DelayMessage once = DelayMessage.to("later")
                .id("x")
                .payload("a")
                .delay(Duration.ofHours(1))
                .nonce("request1")
                .rememberFor(Duration.ofMinutes(1))
                .build();
        queue.send(once);
        queue.send(DelayMessage.to("later")
                .id("x")
                .payload("b")
                .delay(Duration.ofHours(2))
                .onDuplicate(OnDuplicate.REPLACE)
                .build());
        queue.sendAll(List.of(
                DelayMessage.to("later").id("y").payload("c").build(),
                DelayMessage.to("later").id("z").payload("x".repeat(4_000)).build()));
        assertThat(queue.reschedule("later", "x", Duration.ofHours(3))).isEqualTo(RescheduleOutcome.RESCHEDULED);
        assertThat(queue.find("later", "x")).isPresent();
        context.getBean(DelayQueueReceiver.class)
                .receive("later", 10, Duration.ofSeconds(5), Duration.ofSeconds(30))
                .forEach(delivery -> harness.await(
                        delivery.extend(Duration.ofMinutes(1)).thenCompose(extended -> delivery.acknowledge())));
        inspector.topics();
        inspector.nodes();
        inspector.messages("later", MessageView.SCHEDULED, 10, null);
        inspector.upcoming("later", Duration.ofHours(5), 5);
        admin.pauseTopic("later");
        admin.resumeTopic("later");
        var job = jobs.start(JobRequest.of(JobAction.CANCEL, "later"));
        Awaitility.await().until(() -> jobs.job(job.id()).orElseThrow().state() == Job.State.FINISHED);
        assertThat(queue.cancel("later", "x")).isEqualTo(CancelOutcome.NOT_FOUND);
        assertThat(admin.deleteTopic("later")).isTrue();
    }

    private List<String> denied() {
        Object log = redis.command("ACL", "LOG");
        return log instanceof List<?> entries
                ? entries.stream().map(String::valueOf).toList()
                : Arrays.asList(String.valueOf(log));
    }
}
