package io.delayqueue.admin;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of topics. It may have fewer topics than requested, or none, although another page follows.
 *
 * @param topics by name
 * @param next the topic after which the next page begins; null if this is the last page
 */
public record TopicPage(List<TopicStatus> topics, @Nullable String next) {}
