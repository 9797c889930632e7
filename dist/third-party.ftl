<#-- The list of the libraries in an archive, with their licences. -->
Libraries in this archive, and their licences. Most jars contain the text of their licence; the folder licenses has further texts.

<#list dependencyMap as entry>
<#assign project = entry.getKey()/>
${project.artifactId} ${project.version}
    ${entry.getValue()?join(", ")}<#if project.url??>
    ${project.url}</#if>

</#list>
