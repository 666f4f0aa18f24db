package io.delayqueue.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The layers of packages and the bans, for any base package: the product's, or one of fixtures that break them all. */
final class ArchitectureRules {

    /** From the lowest upwards. A package may use those of lower layers, and of its own layer none but itself. */
    private static final List<Set<String>> LAYERS = List.of(
            Set.of("message"),
            Set.of("event", "redis", "convert", "listener"),
            Set.of("store", "coordination"),
            Set.of("template", "container"),
            Set.of("annotation", "admin"),
            Set.of("metrics", "actuate", "web", "forward", "jdbc"),
            Set.of("autoconfigure"));

    private static final int FIRST_LAYER_WITH_BOOT = 4;

    private final String base;

    ArchitectureRules(String base) {
        this.base = base;
    }

    ArchRule packagesBelongToALayer() {
        return classes().should(Conditions.belongToALayer(this)).allowEmptyShould(true);
    }

    ArchRule packagesUseLowerLayersOnly() {
        return classes().should(Conditions.useLowerLayersOnly(this)).allowEmptyShould(true);
    }

    ArchRule packagesAreFreeOfCycles() {
        return slices().matching(base + ".(**)").should().beFreeOfCycles().allowEmptyShould(true);
    }

    ArchRule redisClientsStayInRedis() {
        return only(
                List.of("redis", "autoconfigure"),
                "org.springframework.data.redis..",
                "io.lettuce..",
                "redis.clients..");
    }

    ArchRule micrometerStaysInMetrics() {
        return only(List.of("metrics", "autoconfigure"), "io.micrometer..");
    }

    ArchRule actuatorStaysInActuate() {
        return only(
                List.of("actuate", "autoconfigure"),
                "org.springframework.boot.actuate..",
                "org.springframework.boot.health..");
    }

    /** The guard of the management endpoints is a filter, since nothing of theirs can set a header. */
    ArchRule webStaysInWeb() {
        return only(
                List.of("web", "actuate.guard", "autoconfigure"),
                "org.springframework.web..",
                "org.springframework.http..",
                "jakarta.servlet..",
                "org.apache.catalina..",
                "org.eclipse.jetty..");
    }

    /** A container's private members differ between its versions. */
    ArchRule webUsesPublicMembersOnly() {
        return classes()
                .that()
                .resideInAnyPackage(base + ".web..", base + ".autoconfigure.http..")
                .should(Conditions.notAccess("private or internal members", Accesses.reachesPrivateMembers()))
                .allowEmptyShould(true);
    }

    ArchRule kafkaStaysInItsForwarder() {
        return only(List.of("forward.kafka", "autoconfigure"), "org.springframework.kafka..", "org.apache.kafka..");
    }

    ArchRule rabbitStaysInItsForwarder() {
        return only(List.of("forward.rabbit", "autoconfigure"), "org.springframework.amqp..", "com.rabbitmq..");
    }

    ArchRule jmsStaysInItsForwarder() {
        return only(List.of("forward.jms", "autoconfigure"), "org.springframework.jms..", "jakarta.jms..");
    }

    ArchRule bootStaysAboveTheEngine() {
        List<String> allowed =
                LAYERS.stream().skip(FIRST_LAYER_WITH_BOOT).flatMap(Set::stream).toList();
        return only(allowed, "org.springframework.boot..");
    }

    ArchRule jacksonStaysInConvert() {
        return only(
                List.of("convert", "web.api.json", "web.api.request", "web.compat", "autoconfigure"),
                "tools.jackson..",
                "com.fasterxml.jackson..");
    }

    /** In each of the packages that see it; annotations of Jackson are allowed. */
    ArchRule jacksonIsUsedByOneClassOf(String name) {
        return classes()
                .that()
                .resideInAPackage(base + "." + name + "..")
                .should(Conditions.beOneThatUses(
                        "Jackson", "tools.jackson", "com.fasterxml.jackson.core", "com.fasterxml.jackson.databind"))
                .allowEmptyShould(true);
    }

    ArchRule threadsStartInContainer() {
        return classes()
                .that()
                .resideOutsideOfPackages(base + ".container..", base)
                .should(Conditions.notAccess("threads of their own", Accesses.startsThreads(base)))
                .allowEmptyShould(true);
    }

    ArchRule nobodyReadsTheSystemClock() {
        return classes()
                .should(Conditions.notAccess("the system clock", Accesses.readsTheClock()))
                .allowEmptyShould(true);
    }

    ArchRule theSystemClockIsChosenInAutoconfigure() {
        return classes()
                .that()
                .resideOutsideOfPackage(base + ".autoconfigure..")
                .should(Conditions.notAccess("a clock of their own", Accesses.makesAClock()))
                .allowEmptyShould(true);
    }

    ArchRule nothingIsInjectedIntoFields() {
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

    ArchRule staticsAreFinal() {
        return fields().that()
                .areStatic()
                .and(DescribedPredicate.describe(
                        "are written by hand", field -> !field.getModifiers().contains(JavaModifier.SYNTHETIC)))
                .should()
                .beFinal()
                .allowEmptyShould(true);
    }

    ArchRule packagesAreNamedByWhatTheyDo() {
        String[] banned = Stream.of("util", "utils", "common", "support", "helper", "impl", "internal", "model")
                .map(name -> base + ".." + name + "..")
                .toArray(String[]::new);
        return noClasses().should().resideInAnyPackage(banned).allowEmptyShould(true);
    }

    ArchRule packagesAreNullMarked() {
        return classes().should(Conditions.liveInANullMarkedPackage()).allowEmptyShould(true);
    }

    ArchRule theBasePackageHoldsOnlyTheMark() {
        return noClasses()
                .that()
                .doNotHaveSimpleName("package-info")
                .and()
                .doNotHaveSimpleName("Internal")
                .should()
                .resideInAPackage(base)
                .allowEmptyShould(true);
    }

    /** Everything that holds for the product. */
    List<ArchRule> all() {
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
    String topPackage(String packageName) {
        if (!packageName.startsWith(base + ".")) {
            return "";
        }
        String below = packageName.substring(base.length() + 1);
        int dot = below.indexOf('.');
        return dot < 0 ? below : below.substring(0, dot);
    }

    /** The layer of a package, -1 if it belongs to none. */
    int layer(String topPackage) {
        return IntStream.range(0, LAYERS.size())
                .filter(layer -> LAYERS.get(layer).contains(topPackage))
                .findFirst()
                .orElse(-1);
    }

    boolean isBase(String packageName) {
        return packageName.equals(base);
    }

    private ArchRule only(List<String> allowed, String... dependencies) {
        String[] packages =
                allowed.stream().map(name -> base + "." + name + "..").toArray(String[]::new);
        return noClasses()
                .that()
                .resideOutsideOfPackages(packages)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(dependencies)
                .allowEmptyShould(true);
    }
}
