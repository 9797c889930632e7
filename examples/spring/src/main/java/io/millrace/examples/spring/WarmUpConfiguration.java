// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples.spring;

import io.millrace.load.LoadOptions;
import io.millrace.load.LoadPlan;
import io.millrace.load.source.JdbcOptions;
import io.millrace.load.source.JdbcSource;
import io.millrace.load.target.StringTarget;
import java.time.Duration;
import javax.sql.DataSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A load whose plan is a bean. Its name, {@code stock}, is the name of the job. */
@Configuration(proxyBeanMethods = false)
class WarmUpConfiguration {

    // snippet: plan-bean
    @Bean
    LoadPlan stock(DataSource database) {
        return new LoadPlan(
                JdbcSource.ofQuery(database, "SELECT id, stock FROM product WHERE stock > 0", JdbcOptions.defaults())
                        .withName("shop"),
                StringTarget.of("example:stock:{ID}", "STOCK").withTtl(Duration.ofHours(1)),
                LoadOptions.defaults());
    }
    // end
}
