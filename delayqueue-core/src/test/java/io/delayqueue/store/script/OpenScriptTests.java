package io.delayqueue.store.script;

import static io.delayqueue.store.bench.ShardState.state;
import static io.delayqueue.store.bench.StoreBench.T0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.message.Durability;
import io.delayqueue.redis.Await;
import io.delayqueue.store.TopicConflictException;
import io.delayqueue.store.bench.PollReplyText;
import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.bench.Sends;
import io.delayqueue.store.bench.ShardState;
import io.delayqueue.store.bench.StoreBench;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** How a shard is opened: {@code open.lua}, {@code register.lua}, and what a stranger's shard is answered with. */
class OpenScriptTests {

    @RegisterExtension
    static final StoreBench bench = StoreBench.withDrivenClock();

    record Verb(String name, Consumer<StoreBench> call) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Verb> verbs() {
        return Stream.concat(openingVerbs(), lookingVerbs());
    }

    static Stream<Verb> openingVerbs() {
        return Stream.of(
                new Verb("send", bench -> bench.send(Sends.at("a", T0))),
                new Verb(
                        "sendAsync",
                        bench -> bench.store()
                                .send(bench.shard(), List.of(Sends.at("a", T0)), Durability.NONE)
                                .join()),
                new Verb("poll", bench -> bench.poll(Polls.by("w1", 1).claim(1))),
                new Verb(
                        "poll of dead letters",
                        bench -> Polls.poll(
                                bench.store(),
                                bench.shard().notifications(),
                                Polls.by("w1", 1).claim(1).build())),
                new Verb(
                        "enable notifications",
                        bench ->
                                bench.store().enableNotifications(bench.shard()).join()));
    }

    private static Stream<Verb> lookingVerbs() {
        return QuietLookupTests.lookups()
                .map(lookup -> new Verb(lookup.name(), bench -> lookup.result(bench.process())));
    }

    @ParameterizedTest
    @MethodSource("openingVerbs")
    void sendAndPollOpenAShardThatWasFlushed(Verb verb) {
        bench.redis().call("FLUSHALL");
        bench.clock(T0);
        verb.call.accept(bench);
        assertOpen();
    }

    @ParameterizedTest
    @MethodSource("verbs")
    void everyVerbLeavesAShardOfAnotherCountAlone(Verb verb) {
        rejected(verb, "1:4:17", "1:4:17");
    }

    @ParameterizedTest
    @MethodSource("verbs")
    void everyVerbLeavesAShardOfANewerFormatAlone(Verb verb) {
        rejected(verb, "2:1:17", "format 2");
    }

    @ParameterizedTest
    @MethodSource("verbs")
    void everyVerbAdoptsAShardOfAnotherEpoch(Verb verb) {
        String identity = bench.meta("meta").get("identity");
        bench.redis().call("HSET", bench.key("meta"), "identity", "1:1:17");
        bench.redis().call("HSET", bench.key("notifications.meta"), "identity", "1:1:17");
        verb.call.accept(bench);
        assertThat(bench.meta("meta")).containsEntry("identity", identity);
        assertThat(bench.meta("notifications.meta")).containsEntry("identity", identity);
    }

    private static void rejected(Verb verb, String identity, String told) {
        bench.given(state("scheduled a 0, leased c 0 w1-0 0, deadLetter a b 0 REQUESTED 1 0"));
        bench.redis().call("HSET", bench.key("meta"), "identity", identity);
        bench.redis().call("HSET", bench.key("notifications.meta"), "identity", identity);
        String before = bench.state().toString();
        Map<String, String> meta = bench.meta("meta");
        assertThatThrownBy(() -> {
                    try {
                        verb.call.accept(bench);
                    } catch (CompletionException e) {
                        throw e.getCause();
                    }
                })
                .isInstanceOf(TopicConflictException.class)
                .hasMessageContaining("orders")
                .hasMessageContaining(told);
        assertThat(bench.state()).hasToString(before);
        assertThat(bench.meta("meta")).isEqualTo(meta);
    }

    @Test
    void aTopicOfAnotherCountIsRejected() {
        bench.redis().call("HSET", bench.keySpace().topics(), "orders", "4:17");
        bench.restartProcess();
        String before = bench.state().toString();
        assertThatThrownBy(() -> bench.send(Sends.at("a", T0)))
                .isInstanceOf(TopicConflictException.class)
                .hasMessageContaining("4 shards");
        assertThat(bench.state()).hasToString(before);
    }

    @Test
    void whenOnlyTheRegistryIsLostTheMessagesStay() {
        bench.given(state("scheduled a 0"));
        bench.redis().call("DEL", bench.keySpace().topics());
        bench.restartProcess();
        assertThat(PollReplyText.of(bench.poll(Polls.by("w1", 1).claim(1)))).startsWith("claimed a#1@0");
    }

    @ParameterizedTest
    @MethodSource
    void aKeyThatIsLostIsMadeAnew(String key) {
        bench.given(state("scheduled a 0"));
        bench.redis().call("DEL", bench.key(key));
        bench.poll(Polls.by("w1", 1).claim(1));
        bench.send(Sends.at("b", T0));
        assertThat(PollReplyText.of(bench.poll(Polls.by("w1", 2).claim(1)))).startsWith("claimed b#1@0");
        bench.poll(Polls.by("w1", 3).acknowledge("b", "w1-2"));
        assertThat(Await.result(bench.store().find(bench.shard(), "b"))).isEmpty();
    }

    static Stream<String> aKeyThatIsLostIsMadeAnew() {
        return Stream.of("schedule", "leases", "messages", "deliveries", "meta");
    }

    private static void assertOpen() {
        ShardState state = bench.state();
        assertThat(state.get("dead")).isEmpty();
        assertThat(bench.meta("meta")).containsKeys("identity", "topic", "shard");
        assertThat(bench.meta("notifications.meta")).containsKeys("identity", "topic", "shard");
    }
}
