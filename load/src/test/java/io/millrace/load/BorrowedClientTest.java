// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Server;
import io.millrace.load.target.StringTarget;
import io.millrace.load.target.TargetOptions;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class BorrowedClientTest {

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    @Test
    void borrowedClientStaysOpenAfterALoadAndAVerification() {
        try (RedisClient client = RedisClient.connect(REDIS.options())) {
            Loader loader = new Loader(client);
            LoadOptions verified =
                    LoadOptions.builder().verify(LoadOptions.Verification.FULL).build();
            LoadPlan plan = new LoadPlan(TestRows.count(100), StringTarget.of("k{id}", "name"), verified);

            LoadReport loaded = loader.run(plan, event -> {});
            LoadReport compared = loader.verify(plan, event -> {});

            assertThat(loaded.rows().written()).isEqualTo(100);
            assertThat(compared.verified()).contains(new LoadReport.Verified(100, 0));
            assertThat(client.call(Server.size())).isEqualTo(100);
        }
    }

    @Test
    void missingKeyOfKnownAgeIsADifferenceAlthoughItsRowExpires() {
        try (RedisClient client = RedisClient.connect(REDIS.options())) {
            Loader loader = new Loader(client);
            LoadOptions verified =
                    LoadOptions.builder().verify(LoadOptions.Verification.FULL).build();
            TargetOptions expiring = TargetOptions.of("expiring{id}").withTtl(Duration.ofHours(1));
            LoadPlan plan = new LoadPlan(TestRows.count(10), new StringTarget(expiring, "name"), verified);

            LoadReport unknownAge = loader.verify(plan, event -> {});
            LoadReport knownAge = loader.verify(plan, Duration.ofMinutes(1), event -> {});

            assertThat(unknownAge.verified()).contains(new LoadReport.Verified(10, 0));
            assertThat(knownAge.verified()).contains(new LoadReport.Verified(10, 10));
        }
    }

    @Test
    void keyHasColumnsAndAPrefix() {
        TargetOptions options = TargetOptions.of("shop:{{{country}}}:{id}");

        assertThat(options.keyColumns()).containsExactly("country", "id");
        assertThat(options.keyPrefix()).isEqualTo("shop:{");
        assertThat(TargetOptions.of("{id}").keyPrefix()).isEmpty();
    }
}
