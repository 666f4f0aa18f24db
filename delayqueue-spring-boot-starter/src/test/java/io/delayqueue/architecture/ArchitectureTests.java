package io.delayqueue.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The product keeps the layers and the bans; fixtures prove that each rule can fail. */
class ArchitectureTests {

    private static final ArchitectureRules PRODUCT = new ArchitectureRules("io.delayqueue");
    private static final ArchitectureRules FIXTURE = new ArchitectureRules("io.delayqueue.architecture.fixture");

    private static final JavaClasses PRODUCT_CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .withImportOption(location -> !location.contains("delayqueue-test-redis"))
            .withImportOption(location -> !location.contains("delayqueue-spring-boot-starter-test"))
            .importPackages("io.delayqueue");
    private static final JavaClasses FIXTURE_CLASSES =
            new ClassFileImporter().importPackages("io.delayqueue.architecture.fixture");

    @ParameterizedTest
    @MethodSource("rules")
    void theProductKeeps(ArchRule rule) {
        rule.check(PRODUCT_CLASSES);
    }

    static List<ArchRule> rules() {
        return PRODUCT.all();
    }

    @Test
    void theProductIsSeenWithoutItsTests() {
        assertThat(PRODUCT_CLASSES)
                .extracting(type -> type.getName())
                .contains("io.delayqueue.package-info")
                .doesNotContain(ArchitectureTests.class.getName(), "io.delayqueue.test.package-info");
    }

    @ParameterizedTest
    @MethodSource("offences")
    void anOffenceIsNamed(ArchRule rule, List<String> offences) {
        String report = rule.evaluate(FIXTURE_CLASSES).getFailureReport().toString();

        assertThat(report).contains(offences);
    }

    static Stream<Arguments> offences() {
        return Stream.of(
                arguments(FIXTURE.packagesBelongToALayer(), List.of("fixture.nowhere.Stray")),
                arguments(
                        FIXTURE.packagesUseLowerLayersOnly(),
                        List.of("message.UsesAHigherLayer", "template.UsesItsLayer")),
                arguments(FIXTURE.packagesAreFreeOfCycles(), List.of("container.first", "container.second")),
                arguments(FIXTURE.redisClientsStayInRedis(), List.of("store.UsesRedis")),
                arguments(FIXTURE.micrometerStaysInMetrics(), List.of("store.UsesMicrometer")),
                arguments(FIXTURE.actuatorStaysInActuate(), List.of("fixture.web.UsesActuator")),
                arguments(FIXTURE.webStaysInWeb(), List.of("admin.UsesWeb")),
                arguments(
                        FIXTURE.webUsesPublicMembersOnly(),
                        List.of("ReachesIntoAContainer.field", "ReachesIntoAContainer.read")),
                arguments(FIXTURE.kafkaStaysInItsForwarder(), List.of("forward.UsesBrokers.kafka")),
                arguments(FIXTURE.rabbitStaysInItsForwarder(), List.of("forward.UsesBrokers.rabbit")),
                arguments(FIXTURE.jmsStaysInItsForwarder(), List.of("forward.UsesBrokers.jms")),
                arguments(FIXTURE.bootStaysAboveTheEngine(), List.of("listener.UsesBoot")),
                arguments(FIXTURE.jacksonStaysInConvert(), List.of("store.UsesJackson")),
                arguments(
                        FIXTURE.jacksonIsUsedByOneClassOf("convert"),
                        List.of("convert.FirstJackson", "convert.SecondJackson")),
                arguments(
                        FIXTURE.jacksonIsUsedByOneClassOf("web.api"),
                        List.of("json.FirstJackson", "json.SecondJackson")),
                arguments(
                        FIXTURE.jacksonIsUsedByOneClassOf("web.compat"),
                        List.of("compat.FirstJackson", "compat.SecondJackson")),
                arguments(
                        FIXTURE.threadsStartInContainer(),
                        List.of("StartsThreads.platform", "StartsThreads.pool", "StartsThreads.common")),
                arguments(
                        FIXTURE.nobodyReadsTheSystemClock(),
                        List.of("ReadsTheClock.instant", "ReadsTheClock.millis", "ReadsTheClock.reference")),
                arguments(FIXTURE.theSystemClockIsChosenInAutoconfigure(), List.of("ReadsTheClock.clock")),
                arguments(FIXTURE.nothingIsInjectedIntoFields(), List.of("InjectsIntoAField.injected")),
                arguments(FIXTURE.staticsAreFinal(), List.of("StaticState.counter")),
                arguments(FIXTURE.packagesAreNamedByWhatTheyDo(), List.of("store.util.Grabbag")),
                arguments(FIXTURE.packagesAreNullMarked(), List.of("store.UsesRedis")),
                arguments(FIXTURE.theBasePackageHoldsOnlyTheMark(), List.of("fixture.Loose")));
    }

    @Test
    void everyRuleIsProvedByAnOffence() {
        assertThat(offences()
                        .map(offence ->
                                ((ArchRule) offence.get()[0]).getDescription().replaceAll("\\d+", "n")))
                .hasSameSizeAs(FIXTURE.all())
                .containsExactlyElementsOf(FIXTURE.all().stream()
                        .map(rule -> rule.getDescription().replaceAll("\\d+", "n"))
                        .toList());
    }
}
