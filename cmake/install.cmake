# The manual pages and completions, where Debian's man and shells look for them.
include(GNUInstallDirs)
install(FILES docs/man/sojourn.1 docs/man/sojourn-rtt.1 docs/man/sojourn-lab.1 docs/man/sojourn-generate.1
        docs/man/sojourn-oneway.1 docs/man/sojourn-mark.1 docs/man/sojourn-point.1
        docs/man/sojourn-collect.1 docs/man/sojourn-query.1 docs/man/sojourn-watch.1
        DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES completions/sojourn.bash RENAME sojourn
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES completions/_sojourn DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES completions/sojourn.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# Services: a point for each interface, with only the right to capture.
install(FILES services/sojourn-point@.service DESTINATION lib/systemd/system)
# The collector as a service.
install(FILES services/sojourn-collect.service DESTINATION lib/systemd/system)

# All that `make install` installs.
add_custom_target(installable DEPENDS sojourn sojourn_shared sojourn_static)
if(TARGET sojourn_python)
  add_dependencies(installable sojourn_python)
endif()
