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
import org.junit.jupiter.api.extension.RegisterExtension;

/** Histories of an ordered topic: of each key the message with the right to be next is in schedule or leases. */
class OrderHistoriesTests extends KeyHistories {

    @RegisterExtension
    static final StoreBench bench = StoreBench.ofOrderedTopic();

    OrderHistoriesTests() {
        super(bench, List.of("a", "b", "a b"));
    }

    @Override
    void checkClaim(String id, String key) {
        assertThat(held).as("the key of " + id).noneSatisfy((other, lease) -> {
            assertThat(lease.key()).isEqualTo(key);
            assertThat(lease.end()).isGreaterThan(now);
        });
    }

    @Override
    void checkPlaces(Map<String, Stored> messages, ShardState state, Map<String, Long> parkedDue) {
        Map<String, Set<String>> active = new TreeMap<>();
        Map<String, Set<String>> parked = new TreeMap<>();
        messages.forEach((id, stored) -> (parkedDue.containsKey(id) ? parked : active)
                .computeIfAbsent(stored.key(), any -> new HashSet<>())
                .add(id));
        assertThat(parked.keySet()).isSubsetOf(active.keySet());
        Map<String, byte[]> heads = heads();
        assertThat(heads.keySet()).isEqualTo(active.keySet());
        active.forEach((key, ids) -> {
            assertThat(ids).as("active of " + key).hasSize(1);
            String id = ids.iterator().next();
            byte[] head = requireNonNull(heads.get(key));
            assertThat(new String(head, 13, head.length - 13, UTF_8)).isEqualTo(id);
            if (head[0] == '=') {
                assertThat(state.get("leases")).doesNotContainKey(id);
                long due = Long.parseLong(requireNonNull(state.get("schedule").get(id)));
                checkFirst(id, parked.getOrDefault(key, Set.of()), due, messages, parkedDue);
            }
        });
    }
}
