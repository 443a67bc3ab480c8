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
complete -c sojourn -n __fish_use_subcommand -a oneway -d 'One-way delay and loss between two captures'
complete -c sojourn -n __fish_use_subcommand -a rtt -d 'Round-trip delays in captures or on an interface'
complete -c sojourn -n __fish_use_subcommand -a generate -d 'Captures with known truth'
complete -c sojourn -n __fish_use_subcommand -a mark -d 'Alternate marking: mark a capture'
complete -c sojourn -n __fish_use_subcommand -a lab -d 'The papers\' experiments, and your own captures, judged'

complete -c sojourn -n '__fish_seen_subcommand_from rtt' -a '(__sojourn_captures)'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -s h -l help -d 'Show the options and some examples'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -s i -l interface -x -a '(__sojourn_interfaces)' -d 'Measure live on this interface'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -l engine -x -a 'kernel socket auto' -d 'With -i: where packets are looked at'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -l hook -x -a 'tc xdp' -d 'In the kernel: where'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -l most-samples -x -d 'In the kernel: at most so many samples a second'
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
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -l save-distribution -r -F -d 'Put the distributions aside in this file'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -l expect -r -F -d 'Compare with such a file'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -l false-alarm -x -d 'With --expect: how often it may be wrong'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -l expect-tolerance -x -a '0% 5% 10%' -d 'With --expect: relative change to ignore'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -l anonymize -d 'Replace addresses, preserving prefixes'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -l json -d 'One JSON document on standard output'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -l samples -r -F -d 'Every sample as CSV into this file'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -l plot -r -F -d 'The distributions as SVG into this file'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -l color -x -a 'auto always never' -d 'Color the report'
complete -c sojourn -n '__fish_seen_subcommand_from rtt' -l ascii -d 'Draw with plain characters only'

complete -c sojourn -n '__fish_seen_subcommand_from mark' -F
complete -c sojourn -n '__fish_seen_subcommand_from mark' -s h -l help -d 'Show the options and some examples'
complete -c sojourn -n '__fish_seen_subcommand_from mark' -l method -x -a 'step pulse double multiplexed' -d 'What to mark'
complete -c sojourn -n '__fish_seen_subcommand_from mark' -l interval -x -a '1ms 16ms 250ms 1s 16s 64s' -d 'Length of an interval'
complete -c sojourn -n '__fish_seen_subcommand_from mark' -l carrier -x -a 'dscp dscp:1,0 reserved flow-label hop-by-hop destination' -d 'Where the mark goes'
complete -c sojourn -n '__fish_seen_subcommand_from mark' -l flow -x -d 'A flow to mark'
complete -c sojourn -n '__fish_seen_subcommand_from mark' -l flow-id -x -d 'FlowMonID of the first flow'
complete -c sojourn -n '__fish_seen_subcommand_from mark' -l force -d 'Overwrite what the field meant'
complete -c sojourn -n '__fish_seen_subcommand_from mark' -l restore -d 'Take the marks away'
complete -c sojourn -n '__fish_seen_subcommand_from mark' -l seed -x -d 'Make hashing repeatable'

complete -c sojourn -n '__fish_seen_subcommand_from oneway' -l marking -x -a 'step pulse double multiplexed' -d 'How the traffic was marked'
complete -c sojourn -n '__fish_seen_subcommand_from oneway' -l interval -x -a '1ms 16ms 250ms 1s 16s 64s' -d 'Length of a marking interval'
complete -c sojourn -n '__fish_seen_subcommand_from oneway' -l carrier -x -a 'dscp dscp:1,0 reserved flow-label hop-by-hop destination' -d 'Where the marks are'
complete -c sojourn -n '__fish_seen_subcommand_from oneway' -l reversed -d 'Colour 1 is that of even intervals'
complete -c sojourn -n '__fish_seen_subcommand_from oneway' -l flow -x -d 'A monitored flow'
complete -c sojourn -n '__fish_seen_subcommand_from oneway' -l via -r -F -d 'Capture of a point between'

complete -c sojourn -n '__fish_seen_subcommand_from lab; and not __fish_seen_subcommand_from compare tune' -a 'all l1 l2 l3 l4 l5 l6 l7 l8 l9 compare tune'
complete -c sojourn -n '__fish_seen_subcommand_from compare tune' -a '(__sojourn_captures)'
complete -c sojourn -n '__fish_seen_subcommand_from lab' -s h -l help -d 'Show the options and some examples'
complete -c sojourn -n '__fish_seen_subcommand_from lab' -l quick -d 'Scaled down: seconds instead of minutes'
complete -c sojourn -n '__fish_seen_subcommand_from lab' -l seed -x -d 'Of all that is drawn at random'
complete -c sojourn -n '__fish_seen_subcommand_from lab' -l out -r -d 'Where the CSV and SVG files go'
complete -c sojourn -n '__fish_seen_subcommand_from lab' -l html -r -d 'Gather everything in this page'
complete -c sojourn -n '__fish_seen_subcommand_from lab' -l json -d 'One JSON document on standard output'
complete -c sojourn -n '__fish_seen_subcommand_from lab' -l kind -x -a 'tcp handshake tcp-ts flow dns ntp icmp quic' -d 'compare, tune: the kind to judge by'
complete -c sojourn -n '__fish_seen_subcommand_from lab' -l memory -x -a '4KiB,64KiB,1MiB' -d 'compare: sizes with commas between'
complete -c sojourn -n '__fish_seen_subcommand_from lab' -l seeds -x -d 'compare, tune: runs of each table'
complete -c sojourn -n '__fish_seen_subcommand_from lab' -l plot -r -d 'compare: the worst error by memory as SVG'
complete -c sojourn -n '__fish_seen_subcommand_from lab' -l target -x -d 'tune: how accurate'

complete -c sojourn -n '__fish_seen_subcommand_from generate' -F
complete -c sojourn -n '__fish_seen_subcommand_from generate' -s h -l help -d 'Show the options and some examples'
complete -c sojourn -n '__fish_seen_subcommand_from generate' -l model -x -a 'fridge isp bursts tcp chic sanj ipls' -d 'What traffic'
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
complete -c sojourn -n '__fish_seen_subcommand_from generate' -l points -x -a '1 2' -d 'How many captures of the same traffic'
complete -c sojourn -n '__fish_seen_subcommand_from generate' -l path -x -a 'weibull droptail red' -d 'What lies between two points'
complete -c sojourn -n '__fish_seen_subcommand_from generate' -l utilisation -x -d 'Two points: offered load of the queue'
complete -c sojourn -n '__fish_seen_subcommand_from generate' -l duplicates -x -d 'Two points: share that arrives twice'
complete -c sojourn -n '__fish_seen_subcommand_from generate' -l references -x -d 'Two points: a reference packet ahead of every so many'
complete -c sojourn -n '__fish_seen_subcommand_from generate' -l spikes -x -d 'Two points: share that takes 10 ms longer'
complete -c sojourn -n '__fish_seen_subcommand_from generate' -l ipv6 -x -d 'Two points: share of flows'
complete -c sojourn -n '__fish_seen_subcommand_from generate' -l vlan -d 'Two points: VLAN tags at the last one only'
complete -c sojourn -n '__fish_seen_subcommand_from generate' -l clock-offset -x -d 'Two points: how far the last clock is ahead'
complete -c sojourn -n '__fish_seen_subcommand_from generate' -l clock-drift -x -d 'Two points: what it gains, in ppm'
complete -c sojourn -n '__fish_seen_subcommand_from generate' -l clock-jitter -x -d 'Two points: deviation of the readings'

complete -c sojourn -n '__fish_seen_subcommand_from oneway' -a '(__sojourn_captures)'
complete -c sojourn -n '__fish_seen_subcommand_from oneway' -s h -l help -d 'Show the options and some examples'
complete -c sojourn -n '__fish_seen_subcommand_from oneway' -l filter -x -d 'Only packets that match'
complete -c sojourn -n '__fish_seen_subcommand_from oneway' -l method -x -a 'exact endpoint multiflow hybrid nearby trajectory rli rli-l rli-queue lda marking' -d 'How to measure'
complete -c sojourn -n '__fish_seen_subcommand_from oneway' -l window -x -d 'The largest plausible delay'
complete -c sojourn -n '__fish_seen_subcommand_from oneway' -l sampling -x -d 'Look at this share of the packets'
complete -c sojourn -n '__fish_seen_subcommand_from oneway' -l sample-flows -d 'Whole flows instead of packets'
complete -c sojourn -n '__fish_seen_subcommand_from oneway' -l payload-bytes -x -d 'Bytes that tell packets apart'
complete -c sojourn -n '__fish_seen_subcommand_from oneway' -l label -x -a 'bob ipsx' -d 'Hash function of the sampling'
complete -c sojourn -n '__fish_seen_subcommand_from oneway' -l label-init -x -d 'Its secret'
complete -c sojourn -n '__fish_seen_subcommand_from oneway' -l seed -x -d 'Make hashing repeatable'
complete -c sojourn -n '__fish_seen_subcommand_from oneway' -l clock-error -x -d 'How far the clocks may be apart'
complete -c sojourn -n '__fish_seen_subcommand_from oneway' -l clock-offset -x -d 'How far LAST is ahead'
complete -c sojourn -n '__fish_seen_subcommand_from oneway' -l correct-skew -d 'Take out the drift of the clocks'
complete -c sojourn -n '__fish_seen_subcommand_from oneway' -l flows -r -F -d 'Every flow as CSV into this file'
complete -c sojourn -n '__fish_seen_subcommand_from oneway' -l samples -r -F -d 'Every delay as CSV into this file'
complete -c sojourn -n '__fish_seen_subcommand_from oneway' -l by -x -a 'flow host requester prefix/24 prefix/24/48 port' -d 'Group the delays'
complete -c sojourn -n '__fish_seen_subcommand_from oneway' -l top -x -d 'Flows and groups to show'
complete -c sojourn -n '__fish_seen_subcommand_from oneway' -l json -d 'One JSON document on standard output'
complete -c sojourn -n '__fish_seen_subcommand_from oneway' -l plot -r -F -d 'The distribution as SVG into this file'
complete -c sojourn -n '__fish_seen_subcommand_from oneway' -l color -x -a 'auto always never' -d 'Color the report'
complete -c sojourn -n '__fish_seen_subcommand_from oneway' -l active-timeout -x -d 'A flow record ends after this long'
complete -c sojourn -n '__fish_seen_subcommand_from oneway' -l inactive-timeout -x -d 'A flow record ends with such a pause'
complete -c sojourn -n '__fish_seen_subcommand_from oneway' -l cache -x -d 'Memory of the flow cache at each point'
complete -c sojourn -n '__fish_seen_subcommand_from oneway' -l drop-outliers -x -d 'Do not believe this share of the largest delays'
complete -c sojourn -n '__fish_seen_subcommand_from oneway' -l write-records -r -F -d 'Flow records of FIRST as CSV into this file'
complete -c sojourn -n '__fish_seen_subcommand_from oneway' -l max-flows -x -d 'Flows to tell apart'
complete -c sojourn -n '__fish_seen_subcommand_from oneway' -l capacity -x -d 'Of the link before LAST'
complete -c sojourn -n '__fish_seen_subcommand_from oneway' -l link-overhead -x -d 'Bytes on that link beside the IP packet'
complete -c sojourn -n '__fish_seen_subcommand_from oneway' -l ascii -d 'Draw with plain characters only'
