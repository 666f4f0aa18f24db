package io.delayqueue.actuate.response;

import io.delayqueue.admin.DeadLetterGroup;
import io.delayqueue.admin.DeadLetterGroups;
import java.util.List;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The dead letters of a topic by kind.
 *
 * @param groups the groups, the largest first
 * @param counted the number of dead letters that were read
 * @param complete whether all were read; if false, only the youngest were
 */
public record DeadLetterGroupsDescriptor(List<DeadLetterGroup> groups, long counted, boolean complete)
        implements OperationResponseBody {

    /** Creates the descriptor of groups. */
    public static DeadLetterGroupsDescriptor of(DeadLetterGroups found) {
        return new DeadLetterGroupsDescriptor(found.groups(), found.counted(), found.complete());
    }
}
