package io.delayqueue.benchmark.run;

import io.delayqueue.benchmark.result.Measure;
import io.delayqueue.benchmark.result.Party;
import java.io.File;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The class paths of trials. The benchmark's own class path contains the dependencies of all parties. An entry is left
 * out if the name of an artifact is part of its path.
 */
final class ClassPath {

    /** Artifacts that would measure each message. */
    private static final List<String> ACTUATOR =
            List.of("spring-boot-actuator", "spring-boot-health", "spring-boot-micrometer", "micrometer-core");

    private static final List<String> WEB = List.of("spring-boot-tomcat", "spring-boot-webmvc", "tomcat-embed");

    /** Artifacts of the trial of commits. With them, each application needs a database. */
    private static final List<String> DATABASE =
            List.of("delayqueue-jdbc", "spring-boot-jdbc", "spring-jdbc", "HikariCP", "postgresql");

    /** Artifacts that change the configuration of an application, or belong to other parties. */
    private static final List<String> BENCHMARK_ONLY = List.of(
            "redisson", "xchart", "jedis", "commons-pool2", "delayqueue-http", "delayqueue-test-redis", "starter-test");

    private static final List<String> PRODUCT =
            List.of("delayqueue-core", "delayqueue-spring-boot-autoconfigure", "delayqueue-spring-boot-starter");

    private ClassPath() {}

    /** The class path of a trial that measures messages. */
    static String ofTrial(Measure measure) {
        return without(List.of(
                ACTUATOR, measure.overHttp() ? List.of() : WEB, measure == Measure.COMMIT ? List.of() : DATABASE));
    }

    /** The class path of an application whose start is measured. */
    static String ofStartUp(Party party) {
        return without(List.of(BENCHMARK_ONLY, party == Party.SPRING_BOOT ? PRODUCT : List.of(), DATABASE));
    }

    private static String without(List<List<String>> artifacts) {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> artifacts.stream().flatMap(List::stream).noneMatch(entry::contains))
                .collect(Collectors.joining(File.pathSeparator));
    }
}
