// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Properties;

/** Connects to the database of a URL with one of the drivers of this process. */
record DriverConnector(JdbcUrl url, JdbcOptions options) implements JdbcConnector {

    @Override
    public ReadTransaction begin(String name, Optional<String> snapshot) {
        JdbcErrors errors = errors(name);
        JdbcUrlRules.refusal(url.text()).ifPresent(why -> {
            throw errors.unusable("cannot use %s: %s.".formatted(name, why));
        });
        SqlDialect dialect = SqlDialect.of(url);
        return ReadTransaction.begin(connect(dialect, name, errors), dialect, url, errors, snapshot);
    }

    private JdbcErrors errors(String name) {
        List<String> secrets = new ArrayList<>(url.secrets());
        options.password().ifPresent(secrets::add);
        return new JdbcErrors(name, secrets);
    }

    private Connection connect(SqlDialect dialect, String name, JdbcErrors errors) {
        String target = dialect.urlFor(url);
        Properties properties = new Properties();
        // If the properties of the URL contain a user or a password, the driver reads it from the URL. It is not passed
        // to the driver again, because some drivers refuse a value that they receive twice.
        if (!url.namesUser()) {
            url.user().or(options::user).ifPresent(user -> properties.setProperty("user", user));
        }
        if (!url.namesPassword()) {
            url.password().or(options::password).ifPresent(secret -> properties.setProperty("password", secret));
        }
        dialect.complete(properties, url);
        List<Driver> drivers = JdbcDrivers.all(options.drivers());
        try {
            for (Driver driver : drivers) {
                Connection connection = driver.acceptsURL(target) ? driver.connect(target, properties) : null;
                if (connection != null) {
                    return connection;
                }
            }
        } catch (SQLException | RuntimeException e) {
            throw errors.connecting(e);
        }
        throw noDriver(drivers, name, errors);
    }

    private SourceException noDriver(List<Driver> all, String name, JdbcErrors errors) {
        List<String> drivers = all.stream()
                .map(driver -> driver.getClass().getName())
                .sorted()
                .distinct()
                .toList();
        String scheme = url.scheme();
        for (String driver : drivers) {
            if (driver.toLowerCase(Locale.ROOT).contains("." + scheme + ".")) {
                return errors.unusable(
                        "cannot use %s: its driver %s does not accept this URL. Check host, port and database."
                                .formatted(name, driver));
            }
        }
        return errors.unusable("cannot use %s: there is no driver for jdbc:%s:. Available drivers: %s. %s"
                .formatted(name, scheme, String.join(", ", drivers), JdbcDrivers.advice(scheme)));
    }

    /** Does not show the password of the options. */
    @Override
    public String toString() {
        return url.name();
    }
}
