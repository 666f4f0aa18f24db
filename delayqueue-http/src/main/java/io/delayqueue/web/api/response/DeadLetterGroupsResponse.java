package io.delayqueue.web.api.response;

import io.delayqueue.admin.DeadLetterGroup;
import io.delayqueue.admin.DeadLetterGroups;
import io.delayqueue.message.DeadLetterKind;
import java.time.Instant;
import java.util.List;

/**
 * The dead letters of a topic by kind.
 *
 * @param groups the groups, the largest first
 * @param counted number of dead letters that were read
 * @param complete whether all were read; if false, only the youngest 10,000 were
 */
public record DeadLetterGroupsResponse(List<Group> groups, long counted, boolean complete) {

    /** Copies the groups. */
    public DeadLetterGroupsResponse {
        groups = List.copyOf(groups);
    }

    /** Creates the response of groups. */
    public static DeadLetterGroupsResponse of(DeadLetterGroups found) {
        return new DeadLetterGroupsResponse(
                found.groups().stream().map(Group::of).toList(), found.counted(), found.complete());
    }

    /**
     * Dead letters of one kind.
     *
     * @param kind what they have in common
     * @param count number of dead letters
     * @param first time of the oldest
     * @param last time of the youngest
     * @param example id of the youngest
     */
    public record Group(DeadLetterKind kind, long count, Instant first, Instant last, String example) {

        static Group of(DeadLetterGroup group) {
            return new Group(group.kind(), group.count(), group.first(), group.last(), group.example());
        }
    }
}
