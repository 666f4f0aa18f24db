package io.delayqueue.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The layers of packages and the bans. */
final class ArchitectureRules {

    /** From the lowest upwards. A package may use those of lower layers, and of its own layer none but itself. */
    private static final List<Set<String>> LAYERS = layers();

    private static final int FIRST_LAYER_WITH_BOOT = 6;

    private static final String BASE = "io.delayqueue";

    private ArchitectureRules() {}

    /** The rows of the table in docs/development.md. */
    private static List<Set<String>> layers() {
        Pattern row = Pattern.compile("\\| (\\d) \\| `(\\w+)` \\|.*");
        try (Stream<String> page = Files.lines(Path.of("..", "docs", "development.md"))) {
            return List.copyOf(page.map(row::matcher)
                    .filter(Matcher::matches)
                    .collect(Collectors.groupingBy(
                            found -> found.group(1),
                            TreeMap::new,
                            Collectors.mapping(found -> found.group(2), Collectors.toSet())))
                    .values());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static ArchRule packagesBelongToALayer() {
        return classes().should(Conditions.belongToALayer()).allowEmptyShould(true);
    }

    static ArchRule packagesUseLowerLayersOnly() {
        return classes().should(Conditions.useLowerLayersOnly()).allowEmptyShould(true);
    }

    static ArchRule packagesAreFreeOfCycles() {
        return slices().matching(BASE + ".(**)").should().beFreeOfCycles().allowEmptyShould(true);
    }

    static ArchRule redisClientsStayInRedis() {
        return only(
                List.of("redis", "autoconfigure"),
                "org.springframework.data.redis..",
                "io.lettuce..",
                "redis.clients..");
    }

    static ArchRule micrometerStaysInMetrics() {
        return only(List.of("metrics", "autoconfigure"), "io.micrometer..");
    }

    static ArchRule actuatorStaysInActuate() {
        return only(
                List.of("actuate", "autoconfigure"),
                "org.springframework.boot.actuate..",
                "org.springframework.boot.health..");
    }

    /** The guard of the management endpoints is a filter, since nothing of theirs can set a header. */
    static ArchRule webStaysInWeb() {
        return only(
                List.of("web", "actuate.guard", "management.guard", "autoconfigure"),
                "org.springframework.web..",
                "org.springframework.http..",
                "jakarta.servlet..",
                "org.apache.catalina..",
                "org.eclipse.jetty..");
    }

    /** A container's private members differ between its versions. */
    static ArchRule webUsesPublicMembersOnly() {
        return classes()
                .that()
                .resideInAnyPackage(BASE + ".web..", BASE + ".autoconfigure.http..")
                .should(Conditions.notAccess("private or internal members", Accesses.reachesPrivateMembers()))
                .allowEmptyShould(true);
    }

    static ArchRule kafkaStaysInItsForwarder() {
        return only(List.of("forward.kafka", "autoconfigure"), "org.springframework.kafka..", "org.apache.kafka..");
    }

    static ArchRule rabbitStaysInItsForwarder() {
        return only(List.of("forward.rabbit", "autoconfigure"), "org.springframework.amqp..", "com.rabbitmq..");
    }

    static ArchRule jmsStaysInItsForwarder() {
        return only(List.of("forward.jms", "autoconfigure"), "org.springframework.jms..", "jakarta.jms..");
    }

    static ArchRule bootStaysAboveTheEngine() {
        List<String> allowed =
                LAYERS.stream().skip(FIRST_LAYER_WITH_BOOT).flatMap(Set::stream).toList();
        return only(allowed, "org.springframework.boot..");
    }

    static ArchRule jacksonStaysInConvert() {
        return only(
                List.of("convert", "management", "web.api.json", "web.api.request", "web.compat", "autoconfigure"),
                "tools.jackson..",
                "com.fasterxml.jackson..");
    }

    /** In each of the packages that see it; annotations of Jackson are allowed. */
    static ArchRule jacksonIsUsedByOneClassOf(String name) {
        return classes()
                .that()
                .resideInAPackage(BASE + "." + name + "..")
                .should(Conditions.beOneThatUses(
                        "Jackson", "tools.jackson", "com.fasterxml.jackson.core", "com.fasterxml.jackson.databind"))
                .allowEmptyShould(true);
    }

    /** Except for the marked threads of the Redis client, which the client itself starts, and those that connect to it. */
    static ArchRule threadsStartInContainer() {
        return classes()
                .that()
                .resideOutsideOfPackages(BASE + ".container..", BASE)
                .and()
                .haveNameNotMatching(".*\\.(LettuceSettings\\$.*|ConnectionThreads|DaemonThreads)")
                .should(Conditions.notAccess("threads of their own", Accesses.startsThreads(BASE)))
                .allowEmptyShould(true);
    }

    static ArchRule nobodyReadsTheSystemClock() {
        return classes()
                .should(Conditions.notAccess("the system clock", Accesses.readsTheClock()))
                .allowEmptyShould(true);
    }

    static ArchRule theSystemClockIsChosenInAutoconfigure() {
        return classes()
                .that()
                .resideOutsideOfPackage(BASE + ".autoconfigure..")
                .should(Conditions.notAccess("a clock of their own", Accesses.makesAClock()))
                .allowEmptyShould(true);
    }

    static ArchRule nothingIsInjectedIntoFields() {
        return noFields()
                .should()
                .beAnnotatedWith("org.springframework.beans.factory.annotation.Autowired")
                .orShould()
                .beAnnotatedWith("org.springframework.beans.factory.annotation.Value")
                .orShould()
                .beAnnotatedWith("jakarta.inject.Inject")
                .orShould()
                .beAnnotatedWith("jakarta.annotation.Resource")
                .allowEmptyShould(true);
    }

    static ArchRule staticsAreFinal() {
        return fields().that()
                .areStatic()
                .and(DescribedPredicate.describe(
                        "are written by hand", field -> !field.getModifiers().contains(JavaModifier.SYNTHETIC)))
                .should()
                .beFinal()
                .allowEmptyShould(true);
    }

    static ArchRule packagesAreNamedByWhatTheyDo() {
        String[] banned = Stream.of("util", "utils", "common", "support", "helper", "impl", "internal", "model")
                .map(name -> BASE + ".." + name + "..")
                .toArray(String[]::new);
        return noClasses().should().resideInAnyPackage(banned).allowEmptyShould(true);
    }

    static ArchRule packagesAreNullMarked() {
        return classes().should(Conditions.liveInANullMarkedPackage()).allowEmptyShould(true);
    }

    static ArchRule theBasePackageHoldsOnlyTheMark() {
        return noClasses()
                .that()
                .doNotHaveSimpleName("package-info")
                .and()
                .doNotHaveSimpleName("Internal")
                .should()
                .resideInAPackage(BASE)
                .allowEmptyShould(true);
    }

    /** Everything that holds for the product. */
    static List<ArchRule> all() {
        return List.of(
                packagesBelongToALayer(),
                packagesUseLowerLayersOnly(),
                packagesAreFreeOfCycles(),
                redisClientsStayInRedis(),
                micrometerStaysInMetrics(),
                actuatorStaysInActuate(),
                webStaysInWeb(),
                webUsesPublicMembersOnly(),
                kafkaStaysInItsForwarder(),
                rabbitStaysInItsForwarder(),
                jmsStaysInItsForwarder(),
                bootStaysAboveTheEngine(),
                jacksonStaysInConvert(),
                jacksonIsUsedByOneClassOf("convert"),
                jacksonIsUsedByOneClassOf("management"),
                jacksonIsUsedByOneClassOf("web.api"),
                jacksonIsUsedByOneClassOf("web.compat"),
                threadsStartInContainer(),
                nobodyReadsTheSystemClock(),
                theSystemClockIsChosenInAutoconfigure(),
                nothingIsInjectedIntoFields(),
                staticsAreFinal(),
                packagesAreNamedByWhatTheyDo(),
                packagesAreNullMarked(),
                theBasePackageHoldsOnlyTheMark());
    }

    /** The first segment of a package below the base; empty for the base and for packages outside it. */
    static String topPackage(String packageName) {
        if (!packageName.startsWith(BASE + ".")) {
            return "";
        }
        String below = packageName.substring(BASE.length() + 1);
        int dot = below.indexOf('.');
        return dot < 0 ? below : below.substring(0, dot);
    }

    /** The layer of a package, -1 if it belongs to none. */
    static int layer(String topPackage) {
        return IntStream.range(0, LAYERS.size())
                .filter(layer -> LAYERS.get(layer).contains(topPackage))
                .findFirst()
                .orElse(-1);
    }

    static boolean isBase(String packageName) {
        return packageName.equals(BASE);
    }

    private static ArchRule only(List<String> allowed, String... dependencies) {
        String[] packages =
                allowed.stream().map(name -> BASE + "." + name + "..").toArray(String[]::new);
        return noClasses()
                .that()
                .resideOutsideOfPackages(packages)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(dependencies)
                .allowEmptyShould(true);
    }
}
