package io.delayqueue.store.ids;

import java.util.List;

/**
 * Where an id may be live.
 *
 * @param number of the last push, 16 digits
 * @param topics the current one first; at least one
 */
record IdEntry(String number, List<String> topics) {}
