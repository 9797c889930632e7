// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.core.io.DefaultResourceLoader;

/** Creates jobs from keys, as the configuration does. */
final class TestJobs {

    private TestJobs() {}

    /** The job {@code shop} with the keys in {@code pairs}, which semicolons separate. */
    static LoadJob job(String pairs) {
        return job(pairs, new JdbcDataSource());
    }

    /** The same, with a data source that is the bean {@code shop}. */
    static LoadJob job(String pairs, DataSource database) {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerSingleton("shop", database);
        return jobs(pairs, beans).getFirst();
    }

    static List<LoadJob> jobs(String pairs, DefaultListableBeanFactory beans) {
        Map<String, String> keys = new LinkedHashMap<>();
        for (String pair : pairs.split(";", -1)) {
            int equals = pair.indexOf('=');
            if (equals > 0) {
                keys.put("millrace.load.jobs.shop." + pair.substring(0, equals), pair.substring(equals + 1));
            }
        }
        LoadProperties properties = new Binder(new MapConfigurationPropertySource(keys))
                .bindOrCreate(LoadProperties.PREFIX, LoadProperties.class);
        return new LoadJobFactory(properties, beans, new DefaultResourceLoader()).create();
    }
}
