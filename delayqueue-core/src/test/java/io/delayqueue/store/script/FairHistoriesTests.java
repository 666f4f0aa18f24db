package io.delayqueue.store.script;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.store.bench.ShardState;
import io.delayqueue.store.bench.StoreBench;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Histories of a fair topic: each key with parked messages is active, or its first message is in the schedule. */
class FairHistoriesTests extends KeyHistories {

    private static final long SUSPECT = 1_000_000_000_000_000L;

    @RegisterExtension
    static final StoreBench bench = StoreBench.ofFairTopic();

    FairHistoriesTests() {
        super(bench, List.of("a", "b", ""));
    }

    @Override
    void checkClaim(String id, String key) {
        // all messages of a key may be handled at the same time, each of them once
        assertThat(held).as(id + " is leased").doesNotContainKey(id);
    }

    @Override
    void checkPlaces(Map<String, Stored> messages, ShardState state, Map<String, Long> parkedDue) {
        Map<String, Set<String>> scheduled = new TreeMap<>();
        Map<String, Set<String>> parked = new TreeMap<>();
        messages.forEach((id, stored) -> {
            String due = state.get("schedule").get(id);
            if (parkedDue.containsKey(id) || due != null && Long.parseLong(due) < SUSPECT) {
                (due == null ? parked : scheduled)
                        .computeIfAbsent(stored.key(), any -> new HashSet<>())
                        .add(id);
            }
        });
        Set<String> leased = new TreeSet<>();
        messages.forEach((id, stored) -> {
            if (state.get("leases").containsKey(id)) {
                leased.add(stored.key() + '\1' + id);
            }
        });
        assertThat(ofParked('\1')).containsExactlyInAnyOrderElementsOf(leased);
        Set<String> active = new TreeSet<>();
        list("ZRANGE", "active", "0", "-2").forEach(key -> active.add(text(key)));
        Map<String, byte[]> heads = heads();
        assertThat(heads.keySet()).isEqualTo(scheduled.keySet()).noneMatch(active::contains);
        assertThat(parked.keySet())
                .allSatisfy(key -> assertThat(active.contains(key) || heads.containsKey(key))
                        .as("the key " + key)
                        .isTrue());
        scheduled.forEach((key, ids) -> {
            assertThat(ids).as("scheduled of " + key).hasSize(1);
            String id = ids.iterator().next();
            byte[] head = requireNonNull(heads.get(key));
            assertThat((char) head[0] + new String(head, 13, head.length - 13, UTF_8))
                    .isEqualTo("=" + id);
            long due = Long.parseLong(requireNonNull(state.get("schedule").get(id)));
            checkFirst(id, parked.getOrDefault(key, Set.of()), due, messages, parkedDue);
        });
    }
}
