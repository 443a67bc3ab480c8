# Completion of sojourn(1) in fish.  tests/manual keeps it in step with --help.

function __sojourn_captures
    for path in (__fish_complete_path (commandline -ct) | string replace -r '\t.*' '')
        string match -rq '/$|\.(pcap|pcapng|cap|dump|ntar)[0-9]*(\.(gz|zst))?$' -- $path
        and echo $path
    end
end

function __sojourn_interfaces
    for path in /sys/class/net/*/
        basename $path
    end
end

# The last name of a list with commas: what stands before it is kept.
function __sojourn_kinds
    set -l before (commandline -ct | string replace -r '^--kind=' '' | string match -r '.*,')
    for kind in all tcp handshake tcp-ts flow dns ntp icmp quic
        echo "$before$kind"
    end
end

complete -c sojourn -f
complete -c sojourn -n __fish_use_subcommand -s h -l help -d 'Show the options and some examples'
complete -c sojourn -n __fish_use_subcommand -l version -d 'Show the version'
complete -c sojourn -n __fish_use_subcommand -a rtt -d 'Round-trip delays in captures or on an interface'
complete -c sojourn -n __fish_use_subcommand -a generate -d 'Captures with known truth'
complete -c sojourn -n __fish_use_subcommand -a lab -d 'The papers\' experiments, and your own captures, judged'

complete -c sojourn -n '__fish_seen_subcommand_from rtt' -a '(__sojourn_captures)'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -s h -l help -d 'Show the options and some examples'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -s i -l interface -x -a '(__sojourn_interfaces)' -d 'Measure live on this interface'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -l duration -x -d 'With -i: stop after this long'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -l filter -x -d 'Only packets that match'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -l threads -x -d 'Threads to use'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -l kind -x -a '(__sojourn_kinds)' -d 'Kinds to measure'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -l memory -x -a '4KiB 64KiB 1MiB 16MiB' -d 'Measure in this much memory'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -l table -x -a 'exact staged fridge fridges fridges-ivw leased tailored' -d 'Where requests wait'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -l longest -x -d 'The longest delay of interest'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -l stages -x -d 'Stages of staged'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -l entry-probability -x -a auto -d 'Share of requests that enter the fridges'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -l expire -x -d 'Forget a request after this long'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -l inside -x -d 'Our side of the network'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -l keep-ambiguous -d 'Also use requests that were sent more than once'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -l full-size-only -d 'Kind tcp: only full-size segments'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -l seed -x -d 'Make hashing and anonymization repeatable'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -l by -x -a 'flow host requester prefix/24 prefix/24/48 port vlan' -d 'Group the samples'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -l top -x -d 'Groups to show'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -l max-groups -x -d 'Groups to keep'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -l window -x -d 'A row per time slice'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -l sla -x -d 'A rule that must hold'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -l anonymize -d 'Replace addresses, preserving prefixes'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -l json -d 'One JSON document on standard output'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -l samples -r -F -d 'Every sample as CSV into this file'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -l plot -r -F -d 'The distributions as SVG into this file'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -l color -x -a 'auto always never' -d 'Color the report'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -l ascii -d 'Draw with plain characters only'

complete -c sojourn -n '__fish_seen_subcommand_from lab' -a 'all l1 l2 l3 l4 l5 l6 l7 l8 l9'
complete -c sojourn -n '__fish_seen_subcommand_from lab' -s h -l help -d 'Show the options and some examples'
complete -c sojourn -n '__fish_seen_subcommand_from lab' -l quick -d 'Scaled down: seconds instead of minutes'
complete -c sojourn -n '__fish_seen_subcommand_from lab' -l seed -x -d 'Of all that is drawn at random'
complete -c sojourn -n '__fish_seen_subcommand_from lab' -l out -r -d 'Where the CSV and SVG files go'
complete -c sojourn -n '__fish_seen_subcommand_from lab' -l html -r -d 'Gather everything in this page'
complete -c sojourn -n '__fish_seen_subcommand_from lab' -l json -d 'One JSON document on standard output'

complete -c sojourn -n '__fish_seen_subcommand_from generate' -F
complete -c sojourn -n '__fish_seen_subcommand_from generate' -s h -l help -d 'Show the options and some examples'
complete -c sojourn -n '__fish_seen_subcommand_from generate' -l model -x -a 'fridge isp bursts tcp' -d 'What traffic'
complete -c sojourn -n '__fish_seen_subcommand_from generate' -l packets -x -d 'isp, tcp: about so many packets'
complete -c sojourn -n '__fish_seen_subcommand_from generate' -l flows -x -d 'isp, tcp: about so many connections'
complete -c sojourn -n '__fish_seen_subcommand_from generate' -l requests -x -d 'fridge, bursts: queries'
complete -c sojourn -n '__fish_seen_subcommand_from generate' -l rate -x -d 'fridge, bursts: queries a second'
complete -c sojourn -n '__fish_seen_subcommand_from generate' -l answered -x -d 'fridge, bursts: share of queries with a response'
complete -c sojourn -n '__fish_seen_subcommand_from generate' -l longest -x -d 'fridge: the longest delay'
complete -c sojourn -n '__fish_seen_subcommand_from generate' -l duration -x -d 'How long requests or connections begin'
complete -c sojourn -n '__fish_seen_subcommand_from generate' -l loss -x -d 'tcp: share of packets lost'
complete -c sojourn -n '__fish_seen_subcommand_from generate' -l reorder -x -d 'tcp: share of packets overtaken'
complete -c sojourn -n '__fish_seen_subcommand_from generate' -l snap-length -x -d 'Bytes to keep of each packet'
complete -c sojourn -n '__fish_seen_subcommand_from generate' -l truth -r -d 'Where the truth goes'
complete -c sojourn -n '__fish_seen_subcommand_from generate' -l seed -x -d 'Another seed, another capture'
