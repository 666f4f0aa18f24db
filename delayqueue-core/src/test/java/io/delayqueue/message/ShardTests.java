package io.delayqueue.message;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.HexFormat;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ShardTests {

    /** Published for MurmurHash3_x86_32 with seed 0. */
    @ParameterizedTest
    @CsvSource({
        "'', 0",
        "ffffffff, 76293b50",
        "21436587, f55b516b",
        "214365, 7e4a8634",
        "2143, a0f7b07a",
        "21, 72661cf4",
        "00000000, 2362f9de",
        "000000, 85f0b427",
        "0000, 30f4c306",
        "00, 514e28b7"
    })
    void theHashOfBytesIsMurmur3(String bytes, String hash) {
        assertThat(Integer.toHexString(Shard.murmur3(HexFormat.of().parseHex(bytes))))
                .isEqualTo(hash);
    }

    @ParameterizedTest
    @CsvSource({"test, ba6bd213", "'Hello, world!', c0363e43", "The quick brown fox jumps over the lazy dog, 2e4ff723"})
    void theHashOfTextIsMurmur3(String text, String hash) {
        assertThat(Integer.toHexString(Shard.murmur3(text.getBytes(UTF_8)))).isEqualTo(hash);
    }

    /** For whoever writes it in another language; these never change. */
    @ParameterizedTest
    @CsvSource({
        "4711, 3, 2",
        "4711, 16, 0",
        "4711, 1024, 528",
        "order-4711, 3, 1",
        "order-4711, 16, 8",
        "Übergrößenträger, 3, 1",
        "Übergrößenträger, 16, 12",
        "😀, 3, 0",
        "😀, 16, 10",
        "'', 16, 0"
    })
    void anIdStaysInItsShard(String id, int count, int index) {
        assertThat(Shard.indexOf(id, count)).isEqualTo(index);
        assertThat(Shard.of("orders", id, count))
                .isEqualTo(Shard.all("orders", count).get(index));
    }

    @Test
    void anOnlyShardHoldsEverything() {
        assertThat(Shard.of("orders", "4711", 1)).isEqualTo(Shard.single("orders"));
    }

    static Stream<IntFunction<String>> ids() {
        return Stream.of(
                Integer::toString,
                i -> "order-" + i,
                i -> String.format("%032x", i),
                i -> "0193f2" + Integer.toString(i, 36) + "-c",
                i -> "customer:" + i * 1000 + ":reminder");
    }

    /**
     * The sum of squares over the shards is distributed as chi-square with one degree of freedom less than there are
     * shards; six standard deviations are never left by chance, and the ids are always the same.
     */
    @ParameterizedTest
    @MethodSource("ids")
    void idsSpreadEvenly(IntFunction<String> ids) {
        int messages = 20_000;
        List<String> texts = IntStream.range(0, messages).mapToObj(ids).toList();
        for (int count : new int[] {2, 3, 7, 16, 100, 1024}) {
            long[] found = new long[count];
            texts.forEach(id -> found[Shard.indexOf(id, count)]++);
            double expected = (double) messages / count;
            double chiSquare = IntStream.range(0, count)
                    .mapToDouble(i -> (found[i] - expected) * (found[i] - expected) / expected)
                    .sum();
            assertThat(chiSquare).as("%s shards", count).isLessThan(count - 1 + 6 * Math.sqrt(2.0 * count));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 1025, Integer.MAX_VALUE})
    void aTopicHasOneToSoManyShards(int count) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Shard("orders", 0, count, QueueKind.MESSAGES))
                .withMessageContaining("orders");
    }
}
