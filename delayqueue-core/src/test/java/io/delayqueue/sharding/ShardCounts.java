package io.delayqueue.sharding;

import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.support.ParameterDeclarations;

/** Shard counts of the topic: 3, as other tests use topics with one shard; in a long test also 1 and 16. */
public final class ShardCounts implements ArgumentsProvider {

    @Override
    public Stream<Arguments> provideArguments(ParameterDeclarations parameters, ExtensionContext context) {
        Stream<Integer> counts = context.getTags().contains("long") ? Stream.of(1, 3, 16) : Stream.of(3);
        return counts.map(Arguments::of);
    }
}
