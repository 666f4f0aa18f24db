package io.delayqueue.web.compat.ids;

import java.util.List;

/**
 * The topics in which an id may be live.
 *
 * @param version version of the last push
 * @param topics at least one, the current topic first
 */
record IdEntry(long version, List<String> topics) {}
