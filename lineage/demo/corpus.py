"""What a reader found in the handbook: the graph index's entities, relationships, claims and reports.

Written by hand. A unit is named ``page#Heading``; ids inside ``[Data: …]`` are positions in the
tuples below, as GraphRAG's are (Sources: positions of the units, in the order of the pages).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Entity:
    title: str
    type: str
    description: str
    units: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Relationship:
    source: str
    target: str
    description: str
    weight: float
    units: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """``source_text`` is the sentence that states it. GraphRAG writes NONE where there is no object."""

    subject: str
    object: str
    type: str
    description: str
    source_text: str
    unit: str


@dataclass(frozen=True, slots=True)
class Community:
    """A community and its report; ``findings`` are pairs of summary and explanation."""

    level: int
    parent: int
    children: tuple[int, ...]
    members: tuple[str, ...]
    title: str
    summary: str
    findings: tuple[tuple[str, str], ...]
    rank: float
    rating_explanation: str


ENTITIES: Final = (
    Entity(
        "RETURN WINDOW",
        "RULE",
        "The return window is the time in which customers may return standard items: 30 days, counted from"
        " delivery. It opens on the day the carrier records the delivery.",
        ("returns.md#Return window",),
    ),
    Entity(
        "STANDARD ITEM",
        "PRODUCT",
        "Standard items are the goods that may be returned without an inspection. Boats, engines and life rafts are"
        " not among them. Returning one takes a receipt.",
        ("returns.md#Return window", "receipts.md#Proof of purchase"),
    ),
    Entity(
        "CARRIER RECORD",
        "DOCUMENT",
        "The carrier's record says on which day a parcel was delivered, and with that when a return window opens.",
        ("returns.md#Return window", "shipping.md#Lost and late parcels"),
    ),
    Entity(
        "REFUND",
        "PAYMENT",
        "A refund goes to the card or account that paid, within 5 working days after the item passes inspection."
        " Clearance items are refunded only when faulty.",
        ("clearance.md#Final sale", "returns.md#Refunds", "shipping.md#Lost and late parcels"),
    ),
    Entity(
        "STORE CREDIT",
        "PAYMENT",
        "Store credit takes the place of money for gift returns and gift receipts.",
        ("receipts.md#Gift receipts", "returns.md#Refunds"),
    ),
    Entity(
        "RECEIPT",
        "DOCUMENT",
        "A receipt proves a purchase, on paper, by e-mail or as the order page. Standard-item returns, clearance"
        " exchanges and warranty claims all need one; a copy of a lost one can be had for 24 months.",
        (
            "clearance.md#Final sale",
            "receipts.md#Proof of purchase",
            "receipts.md#Lost receipts",
            "warranty.md#Claims",
        ),
    ),
    Entity(
        "GIFT RECEIPT",
        "DOCUMENT",
        "A gift receipt shows no prices, is valid for 90 days and brings an exchange or store credit, never cash.",
        ("receipts.md#Gift receipts",),
    ),
    Entity(
        "CLEARANCE ITEM",
        "PRODUCT",
        "Clearance items carry a yellow tag or the word Clearance, are marked down by 40 percent or more, and are"
        " final sale.",
        (
            "clearance.md#What counts as clearance",
            "clearance.md#Final sale",
            "clearance.md#Prices",
            "warranty.md#Limits",
        ),
    ),
    Entity(
        "SIZE EXCHANGE",
        "SERVICE",
        "A clearance item may be exchanged once for another size, within 7 days of delivery and while stock lasts.",
        ("clearance.md#Final sale",),
    ),
    Entity(
        "WARRANTY",
        "RULE",
        "The warranty covers faults in material and workmanship: 2 years on tents, packs and jackets, 1 year on boots."
        " It also handles faulty clearance items.",
        ("clearance.md#Final sale", "warranty.md#Cover", "warranty.md#Claims", "warranty.md#Limits"),
    ),
    Entity(
        "STANDARD DELIVERY",
        "SERVICE",
        "Standard delivery takes 3 to 5 working days and is free for orders of €75 or more.",
        ("shipping.md#Delivery times", "shipping.md#Delivery charges"),
    ),
    Entity(
        "EXPRESS DELIVERY",
        "SERVICE",
        "Express delivery takes 1 working day for orders placed before 14:00, and costs €12.",
        ("shipping.md#Delivery times", "shipping.md#Delivery charges", "shipping.md#Lost and late parcels"),
    ),
    Entity(
        "DELIVERY CHARGE",
        "PAYMENT",
        "Delivery charges are €5 for orders below €75, €12 for express and €49 for each oversized item by freight.",
        ("shipping.md#Delivery charges",),
    ),
    # In no relationship, so in no community: such entities are common in real indexes.
    Entity(
        "TIDE CLUB",
        "ORGANIZATION",
        "Members of the Tide Club send items back free of charge. Their discount does not apply to clearance items.",
        ("clearance.md#Prices", "returns.md#Return postage"),
    ),
)

RELATIONSHIPS: Final = (
    Relationship(
        "STANDARD ITEM",
        "RETURN WINDOW",
        "Standard items may be returned within the return window of 30 days.",
        9.0,
        ("returns.md#Return window",),
    ),
    Relationship(
        "RETURN WINDOW",
        "CARRIER RECORD",
        "The return window opens on the day of delivery in the carrier's record.",
        7.0,
        ("returns.md#Return window", "shipping.md#Lost and late parcels"),
    ),
    Relationship(
        "STANDARD ITEM",
        "RECEIPT",
        "Returning a standard item needs a receipt.",
        8.0,
        ("receipts.md#Proof of purchase",),
    ),
    Relationship(
        "REFUND",
        "STORE CREDIT",
        "Gift returns are refunded as store credit.",
        5.0,
        ("returns.md#Refunds",),
    ),
    Relationship(
        "GIFT RECEIPT",
        "STORE CREDIT",
        "A gift receipt can be turned into store credit, never into cash.",
        6.0,
        ("receipts.md#Gift receipts",),
    ),
    Relationship(
        "CLEARANCE ITEM",
        "REFUND",
        "A clearance item is not refunded, unless the item is faulty.",
        8.0,
        ("clearance.md#Final sale",),
    ),
    Relationship(
        "CLEARANCE ITEM",
        "SIZE EXCHANGE",
        "A clearance item may be exchanged once for another size within 7 days of delivery.",
        7.0,
        ("clearance.md#Final sale",),
    ),
    Relationship(
        "CLEARANCE ITEM",
        "WARRANTY",
        "Faulty clearance items are handled under the warranty.",
        6.0,
        ("clearance.md#Final sale", "warranty.md#Limits"),
    ),
    Relationship(
        "STANDARD DELIVERY",
        "DELIVERY CHARGE",
        "Standard delivery is free for orders of €75 or more and costs €5 below that.",
        8.0,
        ("shipping.md#Delivery charges",),
    ),
    Relationship(
        "EXPRESS DELIVERY",
        "DELIVERY CHARGE",
        "Express delivery costs €12 whatever the order is worth.",
        8.0,
        ("shipping.md#Delivery charges",),
    ),
    Relationship(
        "WARRANTY",
        "RECEIPT",
        "A warranty claim needs a receipt and a photograph of the fault.",
        6.0,
        ("warranty.md#Claims",),
    ),
)

CLAIMS: Final = (
    Claim(
        "RETURN WINDOW",
        "STANDARD ITEM",
        "RETURN PERIOD",
        "Standard items may be returned for 30 days, counted from delivery.",
        "Customers may return standard items within 30 days of delivery.",
        "returns.md#Return window",
    ),
    Claim(
        "RETURN WINDOW",
        "CARRIER RECORD",
        "PERIOD START",
        "The day in the carrier's record is the first day of the return window.",
        "The window opens on the day the carrier records the delivery.",
        "returns.md#Return window",
    ),
    Claim(
        "RECEIPT",
        "STANDARD ITEM",
        "PROOF REQUIRED",
        "No standard item is taken back without a receipt.",
        "Every return of a standard item needs a receipt.",
        "receipts.md#Proof of purchase",
    ),
    Claim(
        "CLEARANCE ITEM",
        "REFUND",
        "FINAL SALE",
        "Clearance items are sold for good and bring no refund, faulty ones excepted.",
        "Clearance items are final sale and are not refunded, unless the item is faulty.",
        "clearance.md#Final sale",
    ),
    Claim(
        "SIZE EXCHANGE",
        "CLEARANCE ITEM",
        "EXCHANGE PERIOD",
        "The one exchange of a clearance item has to happen within 7 days of delivery.",
        "One exchange for another size is allowed within 7 days of delivery, while stock lasts.",
        "clearance.md#Final sale",
    ),
    Claim(
        "DELIVERY CHARGE",
        "STANDARD DELIVERY",
        "FREE DELIVERY",
        "From €75 on, an order is delivered free of charge.",
        "Standard delivery is free for orders of €75 or more.",
        "shipping.md#Delivery charges",
    ),
    Claim(
        "WARRANTY",
        "NONE",
        "WARRANTY PERIOD",
        "Tents, packs and jackets are under warranty for 2 years.",
        "Tents, packs and jackets carry a warranty of 2 years.",
        "warranty.md#Cover",
    ),
)

COMMUNITIES: Final = (
    Community(
        0,
        -1,
        (2,),
        (
            "RETURN WINDOW",
            "STANDARD ITEM",
            "CARRIER RECORD",
            "REFUND",
            "STORE CREDIT",
            "RECEIPT",
            "GIFT RECEIPT",
            "CLEARANCE ITEM",
            "SIZE EXCHANGE",
            "WARRANTY",
        ),
        "Returns and refunds",
        "How goods come back to Harbor Outfitters: which items, for how long, with which proof, and what the customer"
        " gets for them.",
        (
            (
                "Standard items have a fixed return window",
                "Standard items may be returned within 30 days of delivery [Data: Entities (0, 1); Relationships (0)]."
                " The carrier's record decides when the window opens [Data: Relationships (1); Claims (1)].",
            ),
            (
                "A receipt is the key to a return",
                "Every return of a standard item needs a receipt [Data: Relationships (2); Claims (2)]. Gift receipts"
                " lead to store credit [Data: Entities (4, 6); Relationships (3, 4)].",
            ),
            (
                "Clearance follows rules of its own",
                "Clearance items are final sale, faulty ones excepted [Data: Reports (2); Relationships (5)].",
            ),
        ),
        8.0,
        "These rules decide most questions at the service desk.",
    ),
    Community(
        0,
        -1,
        (),
        ("STANDARD DELIVERY", "EXPRESS DELIVERY", "DELIVERY CHARGE"),
        "Delivery and its charges",
        "The two ways of delivery, how long they take and what they cost.",
        (
            (
                "Standard delivery is free above a threshold",
                "Orders of €75 or more are delivered free, smaller ones pay €5 [Data: Relationships (8); Claims (5)].",
            ),
            (
                "Express has one price",
                "Express delivery costs €12 and takes 1 working day for orders placed before 14:00"
                " [Data: Entities (11); Relationships (9)].",
            ),
        ),
        6.0,
        "Charges are asked about often and seldom disputed.",
    ),
    Community(
        1,
        0,
        (),
        ("CLEARANCE ITEM", "SIZE EXCHANGE", "WARRANTY"),
        "Clearance items and their warranty",
        "What buyers of clearance items may still ask for after the sale.",
        (
            (
                "No refund, one exchange",
                "A clearance item is not refunded unless it is faulty [Data: Relationships (5); Claims (3)]. One"
                " exchange for another size is possible within 7 days [Data: Entities (8); Relationships (6)].",
            ),
            (
                "Faults go to the warranty",
                "Faulty clearance items are handled under the warranty"
                " [Data: Entities (9); Relationships (7); Sources (1, 18)].",
            ),
        ),
        5.0,
        "The rules are short, but exceptions to them cause complaints.",
    ),
)
