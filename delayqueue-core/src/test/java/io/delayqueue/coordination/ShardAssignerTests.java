package io.delayqueue.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.Shard.QueueKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ShardAssignerTests {

    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);

    private List<String> nodes(int count) {
        return new ArrayList<>(
                IntStream.range(0, count).mapToObj(i -> newNode()).toList());
    }

    /** As nodes are named, but by the seed. */
    private String newNode() {
        return Long.toString(random.nextLong(Long.MAX_VALUE), 36);
    }

    private static List<String> assign(String topic, int shards, List<String> members) {
        return ShardAssigner.assignedNodes(topic, QueueKind.MESSAGES, shards, members);
    }

    private static Map<String, Integer> loads(List<String> assignedNodes) {
        Map<String, Integer> loads = new HashMap<>();
        assignedNodes.forEach(assignedNode -> loads.merge(assignedNode, 1, Integer::sum));
        return loads;
    }

    @RepeatedTest(200)
    void everyShardIsAssignedAndTheLoadsDifferByAtMostOne() {
        int shards = 1 + random.nextInt(100);
        List<String> members = nodes(1 + random.nextInt(30));
        List<String> assignedNodes = assign("topic", shards, members);
        assertThat(assignedNodes).hasSize(shards).isSubsetOf(members);
        Map<String, Integer> loads = loads(assignedNodes);
        int floor = shards / members.size();
        int more = shards % members.size();
        for (String member : members) {
            assertThat(loads.getOrDefault(member, 0)).as("seed %d", seed).isBetween(floor, floor + 1);
        }
        assertThat(loads.values()).filteredOn(load -> load == floor + 1).hasSize(more);
    }

    @RepeatedTest(50)
    void everybodyComesToTheSameAnswer() {
        int shards = 1 + random.nextInt(100);
        List<String> members = nodes(1 + random.nextInt(30));
        List<String> assignedNodes = assign("topic", shards, members);
        Collections.shuffle(members, random);
        assertThat(assign("topic", shards, members)).as("seed %d", seed).isEqualTo(assignedNodes);
    }

    /** Written down, since nodes of different versions must agree. */
    @Test
    void answersStayWhatTheyAre() {
        List<String> members = List.of("one", "two", "three");
        assertThat(assign("orders", 6, members)).containsExactly("two", "one", "one", "three", "three", "two");
        assertThat(ShardAssigner.assignedNodes("orders", QueueKind.NOTIFICATIONS, 6, members))
                .containsExactly("three", "two", "two", "three", "one", "one");
    }

    @RepeatedTest(10)
    void ofTopicsWithOneShardOnlyThoseOfTheOneThatCameOrWentMove() {
        List<String> members = nodes(2 + random.nextInt(8));
        List<String> before = assignedNodesOf400Topics(members);
        String left = members.remove(random.nextInt(members.size()));
        List<String> after = assignedNodesOf400Topics(members);
        for (int i = 0; i < before.size(); i++) {
            if (before.get(i).equals(left)) {
                assertThat(after.get(i)).isIn(members);
            } else {
                assertThat(after.get(i)).as("seed %d", seed).isEqualTo(before.get(i));
            }
        }
    }

    @RepeatedTest(10)
    void topicsWithOneShardSpreadOverTheNodes() {
        List<String> members = nodes(2 + random.nextInt(8));
        Map<String, Integer> loads = loads(assignedNodesOf400Topics(members));
        assertThat(loads).as("seed %d", seed).hasSize(members.size());
        assertThat(loads.values()).allMatch(load -> load < 2.5 * 400 / members.size());
    }

    private static List<String> assignedNodesOf400Topics(List<String> members) {
        return IntStream.range(0, 400)
                .mapToObj(i -> assign("topic" + i, 1, members).get(0))
                .toList();
    }

    /** What is left over after a division is a third of 400 topics for each of three nodes. */
    @RepeatedTest(10)
    void nodeWithOneShardMoreDiffersPerTopic() {
        List<String> members = nodes(3);
        Map<String, Integer> more = new HashMap<>();
        for (int topic = 0; topic < 400; topic++) {
            loads(assign("topic" + topic, 7, members))
                    .forEach((member, load) -> more.merge(member, load - 2, Integer::sum));
        }
        assertThat(more.values()).as("seed %d", seed).allMatch(count -> count > 80 && count < 190);
    }

    @Test
    void queuesAreAssignedApart() {
        List<String> members = nodes(10);
        assertThat(ShardAssigner.assignedNodes("topic", QueueKind.NOTIFICATIONS, 100, members))
                .isNotEqualTo(assign("topic", 100, members));
    }

    @Test
    void largestTopicIsAssignedInAMomentToAHundredNodes() {
        List<String> members = nodes(100);
        Duration best = Duration.ofDays(1);
        for (int i = 0; i < 20; i++) {
            long start = System.nanoTime();
            assign("topic" + i, 1024, members);
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            if (i == 0) {
                System.out.println("1,024 shards assigned to 100 nodes, the first time: " + took);
            }
            best = took.compareTo(best) < 0 ? took : best;
        }
        System.out.println("1,024 shards assigned to 100 nodes, when warm: " + best);
    }

    // ---- movement --------------------------------------------------------------------------------------------------

    /**
     * Of thousands of joins and leaves. What has to move is what the leaver had, or what makes the newcomer's share; the rest
     * moves between nodes that stay: on average less than a shard and a sixteenth of all.
     */
    @ParameterizedTest
    @CsvSource({
        "6, 1, 5, 2000",
        "6, 3, 12, 2000",
        "16, 1, 20, 2000",
        "64, 1, 12, 1000",
        "64, 20, 60, 500",
        "256, 2, 30, 300",
        "1024, 2, 12, 100",
        "1024, 90, 110, 30"
    })
    void littleMovesBesidesWhatMust(int shards, int fewest, int most, int changes) {
        History history = new History(shards, (fewest + most) / 2);
        for (int i = 0; i < changes; i++) {
            int size = history.members.size();
            history.change(size == fewest || (size < most && random.nextBoolean()));
        }
        double all = shards * (double) changes;
        System.out.printf(
                "%d shards, %d to %d nodes: of a change, %.1f%% must move, %.1f%% moved, %.1f%% between nodes that stay%n",
                shards,
                fewest,
                most,
                100 * history.least / all,
                100 * history.moved / all,
                100 * history.between / all);
        assertThat(history.between / (double) changes).as("seed %d", seed).isLessThan(1 + shards / 16.0);
        assertThat(history.moved).isGreaterThanOrEqualTo(history.least);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 6, 16, 100})
    void nothingMovesThatNeedNotWhenTheSecondNodeComes(int shards) {
        for (int i = 0; i < 100; i++) {
            History history = new History(shards, 1);
            history.change(true);
            assertThat(history.between).as("seed %d", seed).isZero();
            assertThat(history.moved).isBetween(shards / 2, (shards + 1) / 2);
        }
    }

    /** Joins and leaves at random, with what must have moved, what did, and what did between nodes that were there all along. */
    private final class History {

        private final int shards;
        private final String topic = "topic" + random.nextInt();
        private final List<String> members;
        private List<String> assignedNodes;
        private int moved;
        private int least;
        private int between;

        History(int shards, int size) {
            this.shards = shards;
            this.members = nodes(size);
            this.assignedNodes = assign(topic, shards, members);
        }

        void change(boolean join) {
            Set<String> before = new HashSet<>(members);
            if (join) {
                members.add(newNode());
            } else {
                members.remove(random.nextInt(members.size()));
            }
            List<String> after = assign(topic, shards, members);
            for (int shard = 0; shard < shards; shard++) {
                if (!after.get(shard).equals(assignedNodes.get(shard))) {
                    moved++;
                    between += before.contains(after.get(shard)) && members.contains(assignedNodes.get(shard)) ? 1 : 0;
                }
            }
            least += leastMoves(loads(assignedNodes));
            assignedNodes = after;
        }

        /** How many shards have to move from what was to anything that is balanced. */
        private int leastMoves(Map<String, Integer> loads) {
            List<Integer> kept = members.stream()
                    .map(member -> loads.getOrDefault(member, 0))
                    .sorted(Collections.reverseOrder())
                    .toList();
            int gone = shards - kept.stream().mapToInt(Integer::intValue).sum();
            int over = 0;
            for (int i = 0; i < kept.size(); i++) {
                int room = shards / kept.size() + (i < shards % kept.size() ? 1 : 0);
                over += Math.max(0, kept.get(i) - room);
            }
            return gone + over;
        }
    }
}
