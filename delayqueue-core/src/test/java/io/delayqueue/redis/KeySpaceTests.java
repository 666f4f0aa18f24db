package io.delayqueue.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.delayqueue.message.QueueKind;
import io.delayqueue.message.Shard;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeySpaceTests {

    private static final int SLOTS = 16384;
    private static final int PARTS = 256;

    /** Each would break a hash tag, a signal or another name if it were used as it is. */
    private static final List<String> HOSTILE =
            List.of(("a|a:0.0|a:notifications|a:0|{a}|a}|}a{|{|}|{}|a b|a\tb|a\nb|a\u00a0b|a%20b|a%3A0|%|%%|a%|:|::"
                            + "|notifications.|a\u0000|ä|队列|🎟|🎟{x}|topics|ids.0.205|nodes|{nodes}:seen|a\u2028b")
                    .split("\\|"));

    private final KeySpace keys = new KeySpace("dq");

    @Test
    void checksumIsTheOneOfRedisCluster() {
        assertThat(Crc16.of("123456789".getBytes(UTF_8))).isEqualTo(0x31C3);
    }

    @Test
    void slotIsTheOneOfTheHashTag() {
        assertThat(KeySpace.slot("foo".getBytes(UTF_8))).isEqualTo(12182);
        assertThat(KeySpace.slot("x{foo}y{bar}".getBytes(UTF_8))).isEqualTo(12182);
        assertThat(KeySpace.slot("foo{}{bar}".getBytes(UTF_8))).isEqualTo(8363);
        assertThat(KeySpace.slot("foo{bar".getBytes(UTF_8))).isEqualTo(Crc16.of("foo{bar".getBytes(UTF_8)) % SLOTS);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 7, 8, 16, 31, 64, 333, Shard.MAX_COUNT})
    void shardsFallInEqualRangesOfSlots(int count) {
        Stream<String> topics = count > 64 ? Stream.of("orders", "a{b") : Stream.concat(HOSTILE.stream(), names(40));
        topics.forEach(topic -> IntStream.range(0, count)
                .mapToObj(index -> new Shard(topic, index, count, QueueKind.MESSAGES))
                .forEach(shard -> assertThat(KeySpace.slot(keys.of(shard).schedule()))
                        .as("slot of %s", shard)
                        .isBetween(SLOTS * shard.index() / count, SLOTS * (shard.index() + 1) / count - 1)));
    }

    @Test
    void partsOfACollectionFallInEqualRangesOfSlots() {
        IntStream.range(0, PARTS)
                .forEach(index -> assertThat(KeySpace.slot(keys.part("ids", index, PARTS, "topics")))
                        .isBetween(SLOTS * index / PARTS, SLOTS * (index + 1) / PARTS - 1));
        assertThat(text(keys.part("ids", 0, PARTS, "topics"))).isEqualTo("dq:{ids.0.205}:topics");
    }

    @Test
    void allKeysOfAShardShareItsSlot() {
        for (String topic : HOSTILE) {
            Shard shard = new Shard(topic, 2, 5, QueueKind.MESSAGES);
            assertThat(Stream.concat(all(keys, shard), all(keys, shard.notifications()))
                            .map(key -> KeySpace.slot(key.getBytes(UTF_8))))
                    .as("slots of %s", topic)
                    .containsOnly(KeySpace.slot(keys.of(shard).meta()));
        }
    }

    @Test
    void noTwoNamespacesTopicsShardsOrQueuesShareAKeyOrSignal() {
        Set<String> seen = new HashSet<>();
        Set<String> signals = new HashSet<>();
        for (String namespace : List.of("dq", "dq2", "d", "dq.dq", "DQ", "topics", "nodes")) {
            KeySpace space = new KeySpace(namespace);
            assertThat(space.signalChannel()).matches(seen::add);
            assertThat(Stream.of(space.topics(), space.nodes(), space.nodeTopics(), space.pauses()))
                    .allMatch(key -> seen.add(text(key)));
            assertThat(IntStream.range(0, PARTS)).allMatch(i -> seen.add(text(space.part("ids", i, PARTS, "topics"))));
            for (String topic : HOSTILE) {
                for (int index = 0; index < 3; index++) {
                    Shard shard = new Shard(topic, index, 3, QueueKind.MESSAGES);
                    assertThat(all(space, shard)).as("%s", shard).allMatch(seen::add);
                    ShardKeys notifications = space.of(shard.notifications());
                    assertThat(text(notifications.schedule())).matches(seen::add);
                    assertThat(text(notifications.messages())).matches(seen::add);
                    if (namespace.equals("dq")) {
                        assertThat(List.of(text(space.of(shard).signal()), text(notifications.signal())))
                                .allMatch(signal -> signals.add(signal) && signal.matches("\\S+"));
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a:b", "a{b", "a}", "a b", "ä"})
    void namespaceThatCouldMeetAnotherIsRejected(String namespace) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new KeySpace(namespace))
                .withMessageContaining("namespace");
    }

    @Test
    void forgottenNamesComeBackTheSame() {
        String before = text(keys.of(Shard.single("a")).schedule());
        keys.forget("a");
        assertThat(text(keys.of(Shard.single("a")).schedule())).isEqualTo(before);
    }

    private static Stream<String> all(KeySpace space, Shard shard) {
        ShardKeys keys = space.of(shard);
        return Stream.concat(
                        Stream.of(keys.schedule(), keys.leases(), keys.messages(), keys.deliveries(), keys.meta()),
                        Stream.of(keys.dead(), keys.deadLetters(), keys.ended()))
                .map(KeySpaceTests::text);
    }

    private static Stream<String> names(int count) {
        Random random = new Random(4711);
        return IntStream.range(0, count).mapToObj(i -> "topic-" + i + "-" + Long.toHexString(random.nextLong()));
    }

    private static String text(byte[] key) {
        return new String(key, UTF_8);
    }
}
