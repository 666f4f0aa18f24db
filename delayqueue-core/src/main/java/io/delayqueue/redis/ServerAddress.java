package io.delayqueue.redis;

import java.util.Collection;
import java.util.stream.Collectors;
import org.springframework.data.redis.connection.NamedNode;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.WithDomainSocket;
import org.springframework.data.redis.connection.RedisConfiguration.WithHostAndPort;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;

/** Describes the address of a Redis server for error messages, without credentials. */
final class ServerAddress {

    private ServerAddress() {}

    /** The address, such as "Redis at 127.0.0.1:6379". */
    static String of(RedisConfiguration server) {
        if (server instanceof RedisSentinelConfiguration sentinel) {
            NamedNode master = sentinel.getMaster();
            return "Redis master '" + (master == null ? "" : master.getName()) + "' (Sentinels "
                    + joined(sentinel.getSentinels()) + ")";
        }
        if (server instanceof RedisClusterConfiguration cluster) {
            return "Redis Cluster of " + joined(cluster.getClusterNodes());
        }
        if (server instanceof RedisStaticMasterReplicaConfiguration list) {
            return "Redis at "
                    + list.getNodes().stream()
                            .map(node -> node.getHostName() + ":" + node.getPort())
                            .collect(Collectors.joining(", "));
        }
        if (server instanceof WithDomainSocket socket) {
            return "Redis at " + socket.getSocket();
        }
        return server instanceof WithHostAndPort one ? "Redis at " + one.getHostName() + ":" + one.getPort() : "Redis";
    }

    private static String joined(Collection<RedisNode> nodes) {
        return nodes.stream().map(RedisNode::asString).sorted().collect(Collectors.joining(", "));
    }
}
