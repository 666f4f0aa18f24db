package io.delayqueue.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.test.redis.topology.RedisClusterProcess;
import io.delayqueue.test.redis.topology.RedisSentinelProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** How an application reaches Redis. */
enum Access {

    /** One server without password and TLS. */
    PLAIN {
        @Override
        RunningRedis start(TestServer server) {
            RedisServerProcess redis = server.builder().start();
            return new RunningRedis(
                    List.of(redis),
                    redis,
                    Map.of(
                            "spring.data.redis.host", redis.host(),
                            "spring.data.redis.port", Integer.toString(redis.port())));
        }
    },

    /** One server with TLS, whose certificate is verified, and the documented ACL user. */
    SECURED {
        @Override
        RunningRedis start(TestServer server) {
            return start(server, Certificates.SERVER);
        }
    },

    /** A Cluster of three masters with the documented ACL user. */
    CLUSTER {
        @Override
        RunningRedis start(TestServer server) {
            var builder = RedisClusterProcess.builder().replicasPerMaster(0);
            if (server.executable() != null) {
                builder.executable(server.executable());
            }
            RedisClusterProcess cluster = builder.start();
            List<String> rules = new ArrayList<>(Documented.rules());
            rules.addAll(Documented.clusterRules());
            cluster.nodes().forEach(node -> node.command(Documented.setUser(rules)));
            return new RunningRedis(
                    cluster.nodes(),
                    cluster,
                    Map.of(
                            "spring.data.redis.cluster.nodes", String.join(",", cluster.addresses()),
                            "spring.data.redis.username", Documented.USER,
                            "spring.data.redis.password", Documented.PASSWORD));
        }
    },

    /** A master and a replica that Sentinels monitor, with the documented ACL user. */
    SENTINEL {
        @Override
        RunningRedis start(TestServer server) {
            var builder = RedisSentinelProcess.builder().replicas(1);
            if (server.executable() != null) {
                builder.executable(server.executable());
            }
            RedisSentinelProcess sentinels = builder.start();
            sentinels.servers().forEach(node -> node.command(Documented.setUser(Documented.rules())));
            return new RunningRedis(
                    sentinels.servers(),
                    sentinels,
                    Map.of(
                            "spring.data.redis.sentinel.master", RedisSentinelProcess.MASTER_NAME,
                            "spring.data.redis.sentinel.nodes", String.join(",", sentinels.addresses()),
                            "spring.data.redis.username", Documented.USER,
                            "spring.data.redis.password", Documented.PASSWORD));
        }
    },

    /** One server that permits neither channels nor the commands of pub/sub, as a proxy that does not forward them. */
    NO_PUB_SUB {
        @Override
        RunningRedis start(TestServer server) {
            RedisServerProcess redis = server.builder().start();
            List<String> rules = new ArrayList<>(Documented.rules());
            assertThat(rules.removeAll(List.of("&dq:signals", "+publish", "+subscribe", "+unsubscribe")))
                    .isTrue();
            redis.command(Documented.setUser(rules));
            return new RunningRedis(
                    List.of(redis),
                    redis,
                    Map.of(
                            "spring.data.redis.host",
                            redis.host(),
                            "spring.data.redis.port",
                            Integer.toString(redis.port()),
                            "spring.data.redis.username",
                            Documented.USER,
                            "spring.data.redis.password",
                            Documented.PASSWORD,
                            "delayqueue.engine.unconfirmed-sweep",
                            "200ms"));
        }
    };

    abstract RunningRedis start(TestServer server);

    /** A server with TLS and the documented ACL user. */
    static RunningRedis start(TestServer server, String certificate) {
        Certificates certificates = Certificates.get();
        RedisServerProcess redis = server.builder()
                .tls(certificates.certificate(certificate), certificates.key(certificate), certificates.authority())
                .start();
        redis.command(Documented.setUser(Documented.rules()));
        return new RunningRedis(
                List.of(redis),
                redis,
                Map.of(
                        "spring.data.redis.host",
                        "localhost",
                        "spring.data.redis.port",
                        Integer.toString(redis.tlsPort()),
                        "spring.data.redis.username",
                        Documented.USER,
                        "spring.data.redis.password",
                        Documented.PASSWORD,
                        "spring.data.redis.ssl.bundle",
                        "redis",
                        "spring.ssl.bundle.pem.redis.truststore.certificate",
                        "file:" + certificates.authority()));
    }
}
