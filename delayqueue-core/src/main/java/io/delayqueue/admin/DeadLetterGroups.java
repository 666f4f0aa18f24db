package io.delayqueue.admin;

import java.util.List;

/**
 * A topic's dead letters by kind.
 *
 * @param groups the groups, the largest first
 * @param counted number of dead letters that were read
 * @param complete whether all dead letters were read; if false, only the youngest were
 */
public record DeadLetterGroups(List<DeadLetterGroup> groups, long counted, boolean complete) {}
