package io.delayqueue.test.redis.topology;

import io.delayqueue.test.redis.RedisServerProcess;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The state of a cluster as reported by one node ({@code CLUSTER NODES}).
 *
 * @param self the reporting node
 * @param members all nodes that it knows, including itself, by id
 */
record ClusterView(Member self, Map<String, Member> members) {

    static ClusterView of(RedisServerProcess node) {
        Map<String, Member> members = new LinkedHashMap<>();
        String.valueOf(node.command(Polling.REPLY_TIMEOUT, "CLUSTER", "NODES"))
                .lines()
                .map(Member::parse)
                .forEach((member) -> members.put(member.id(), member));
        Member self = members.values().stream()
                .filter((member) -> member.is("myself"))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("Node %s does not know itself".formatted(node.port())));
        return new ClusterView(self, members);
    }

    /**
     * A node as reported by another node or by itself.
     *
     * @param id the id, which never changes
     * @param flags such as {@code master}, {@code slave} or {@code fail}
     * @param master the id of its master, or {@code -}
     * @param epoch the configuration epoch; the claim with the highest epoch owns a slot
     * @param connected whether there is a link to it
     * @param slots the slots that it serves; a migrating slot belongs to its old master
     */
    record Member(String id, Set<String> flags, String master, long epoch, boolean connected, BitSet slots) {

        private static final int FIRST_SLOT_FIELD = 8;

        static Member parse(String line) {
            List<String> fields = List.of(line.split(" "));
            BitSet slots = new BitSet(KeySlot.COUNT);
            fields.stream()
                    .skip(FIRST_SLOT_FIELD)
                    .filter((range) -> !range.startsWith("["))
                    .forEach((range) -> {
                        int[] ends = Arrays.stream(range.split("-"))
                                .mapToInt(Integer::parseInt)
                                .toArray();
                        slots.set(ends[0], ends[ends.length - 1] + 1);
                    });
            return new Member(
                    fields.get(0),
                    Set.of(fields.get(2).split(",")),
                    fields.get(3),
                    Long.parseLong(fields.get(6)),
                    fields.get(7).equals("connected"),
                    slots);
        }

        boolean is(String flag) {
            return this.flags.contains(flag);
        }

        boolean isSuspect() {
            return is("fail") || is("fail?") || is("handshake") || is("noaddr");
        }

        /** Whether both reports have the same role, master and slots. */
        boolean agreesWith(Member other) {
            return is("master") == other.is("master")
                    && this.master.equals(other.master)
                    && this.slots.equals(other.slots);
        }
    }
}
