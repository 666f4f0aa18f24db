package io.delayqueue.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.container.EngineBuilder;
import io.delayqueue.message.Shard;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.RepeatedTest;

class DealTests {

    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);
    private final List<Shard> shards =
            IntStream.range(0, 400).mapToObj(i -> Shard.single("topic" + i)).toList();
    private final List<String> members = new ArrayList<>(IntStream.range(0, 2 + random.nextInt(8))
            .mapToObj(i -> EngineBuilder.newNode())
            .toList());

    @RepeatedTest(10)
    void everybodyComesToTheSameAnswer() {
        Map<Shard, String> dealt = deal(members);
        List<String> shuffled = new ArrayList<>(members);
        Collections.shuffle(shuffled, random);
        assertThat(deal(shuffled)).as("seed %d", seed).isEqualTo(dealt);
    }

    @RepeatedTest(10)
    void onlyTheShardsOfTheOneThatCameOrWentMove() {
        Map<Shard, String> before = deal(members);
        String left = members.remove(random.nextInt(members.size()));
        Map<Shard, String> after = deal(members);
        before.forEach((shard, watcher) -> {
            if (!watcher.equals(left)) {
                assertThat(after.get(shard)).as("seed %d", seed).isEqualTo(watcher);
            }
        });
        assertThat(after).doesNotContainValue(left);
    }

    @RepeatedTest(10)
    void nobodyIsDealtFarMoreThanTheOthers() {
        Map<String, Integer> counts = new HashMap<>();
        deal(members).values().forEach(watcher -> counts.merge(watcher, 1, Integer::sum));
        assertThat(counts).as("seed %d", seed).hasSize(members.size());
        assertThat(counts.values()).allMatch(count -> count < 2.5 * shards.size() / members.size());
    }

    @RepeatedTest(1)
    void lanesAreDealtApart() {
        assertThat(shards.stream()
                        .filter(shard -> !Deal.watcher(shard, members).equals(Deal.watcher(shard.deaths(), members))))
                .isNotEmpty();
    }

    private Map<Shard, String> deal(List<String> among) {
        Map<Shard, String> dealt = new HashMap<>();
        shards.forEach(shard -> dealt.put(shard, Deal.watcher(shard, among)));
        return dealt;
    }
}
